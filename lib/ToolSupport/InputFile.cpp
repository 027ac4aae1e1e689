//===- InputFile.cpp - Files of IR, read and not mapped -------------------===//

#include "tripy/ToolSupport/InputFile.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Text.h"

using namespace tripy;

Result<std::unique_ptr<llvm::MemoryBuffer>>
tripy::readInputFile(const std::string &path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file)
    return file.status();
  // What bytecode holds may be aligned to a page.
  std::unique_ptr<llvm::WritableMemoryBuffer> buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(file->size(), path,
                                                        llvm::Align(4096));
  if (!buffer)
    return Status(Code::HostOutOfMemory,
                  concat("no memory for ", formatBytes(file->size()), " of '",
                         printable(path, 1024), "'"));
  if (Status status =
          file->read(0, {reinterpret_cast<uint8_t *>(buffer->getBufferStart()),
                         buffer->getBufferSize()});
      !status.isOk())
    return status;
  return std::unique_ptr<llvm::MemoryBuffer>(std::move(buffer));
}
