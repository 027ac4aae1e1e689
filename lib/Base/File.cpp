//===- File.cpp - Files, read and written whole ---------------------------===//

#include "tripy/Base/File.h"
#include "FileErrors.h"
#include "tripy/Base/Text.h"

#include <cerrno>
#include <fcntl.h>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace tripy;

namespace {

/// Opens a regular file for reading and finds its size.
Status openRegular(const std::string &path, int &file, uint64_t &size) {
  if (path.find('\0') != std::string::npos)
    return Status(Code::InvalidArgument, "a file name contains a zero byte");
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return fileError("open", path, errno);
  struct stat info;
  if (::fstat(file, &info) != 0)
    return fileError("read", path, errno);
  if (!S_ISREG(info.st_mode))
    return notRegular(path, S_ISDIR(info.st_mode));
  size = uint64_t(info.st_size);
  return Status::ok();
}

} // namespace

//===-- reading -----------------------------------------------------------===//

Result<InputFile> InputFile::open(const std::string &path) {
  InputFile file;
  if (Status status = openRegular(path, file.descriptor, file.bytes);
      !status.isOk())
    return status;
  file.name = path;
  return file;
}

InputFile::InputFile(InputFile &&other) noexcept { *this = std::move(other); }
InputFile &InputFile::operator=(InputFile &&other) noexcept {
  std::swap(name, other.name);
  std::swap(descriptor, other.descriptor);
  std::swap(bytes, other.bytes);
  return *this;
}
InputFile::~InputFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

Status InputFile::read(uint64_t offset, std::span<uint8_t> out) const {
  while (!out.empty()) {
    ssize_t count = ::pread(descriptor, out.data(), out.size(), off_t(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fileError("read", name, errno);
    if (count == 0)
      return Status(Code::Io, concat(quotedPath(name),
                                     " became shorter while it was read"));
    offset += uint64_t(count);
    out = out.subspan(size_t(count));
  }
  return Status::ok();
}

Result<std::vector<uint8_t>> tripy::readFile(const std::string &path,
                                             uint64_t limit) {
  Result<InputFile> file = InputFile::open(path);
  if (!file)
    return file.status();
  if (file->size() > limit)
    return Status(Code::LimitExceeded,
                  concat(quotedPath(path), " may have at most ",
                         formatBytes(limit), ", but has ",
                         formatBytes(file->size())));
  auto noMemory = [&] {
    return Status(Code::HostOutOfMemory,
                  concat("no memory for ", formatBytes(file->size()), " of ",
                         quotedPath(path)));
  };
  std::vector<uint8_t> bytes;
  try {
    bytes.resize(file->size());
  } catch (const std::bad_alloc &) {
    return noMemory();
  } catch (const std::length_error &) {
    return noMemory();
  }
  if (Status status = file->read(0, bytes); !status.isOk())
    return status;
  return bytes;
}

Result<MappedFile> MappedFile::open(const std::string &path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file)
    return file.status();
  MappedFile mapped;
  if (file->size() == 0)
    return mapped;
  void *start = ::mmap(nullptr, file->size(), PROT_READ, MAP_PRIVATE,
                       file->descriptor, 0);
  if (start == MAP_FAILED)
    return fileError("map", path, errno);
  mapped.start = static_cast<const uint8_t *>(start);
  mapped.size = file->size();
  return mapped;
}

MappedFile::MappedFile(MappedFile &&other) noexcept {
  *this = std::move(other);
}
MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(start, other.start);
  std::swap(size, other.size);
  return *this;
}
MappedFile::~MappedFile() {
  if (start)
    ::munmap(const_cast<uint8_t *>(start), size);
}
