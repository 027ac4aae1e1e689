//===- TensorFile.cpp - Tensors of files, without copying -----------------===//

#include "TensorFile.h"

#include "Throw.h"

#include "tripy/Base/File.h"
#include "tripy/Runtime/IO/SafeTensors.h"

using namespace tripy;
using namespace tripy::frontend;

std::vector<NamedStorage> tripy::frontend::mapTensors(const std::string &path,
                                                      SourceLoc loc) {
  Result<MappedFile> mapped = MappedFile::open(path);
  check(mapped.status(), loc);
  auto file = std::make_shared<MappedFile>(std::move(*mapped));
  Result<io::SafeTensors> parsed = io::SafeTensors::parse(file->bytes());
  if (!parsed)
    check(Status(parsed.status()).withContext(path), loc);
  std::vector<NamedStorage> tensors;
  for (const io::SafeTensor &entry : parsed->tensors()) {
    std::string name(entry.name);
    Result<runtime::TensorView> view = parsed->describe(name);
    if (!view)
      check(Status(view.status()).withContext(path), loc);
    // Nothing writes through it.
    view->data = const_cast<uint8_t *>(file->bytes().data()) + entry.offset;
    tensors.push_back(
        {name, std::make_shared<Storage>(*view, [file] { (void)file; })});
  }
  return tensors;
}

void tripy::frontend::writeTensors(const std::string &path,
                                   const std::vector<NamedStorage> &tensors,
                                   SourceLoc loc) {
  std::vector<runtime::HostTensor> copies;
  std::vector<io::NamedTensor> named;
  for (const auto &[name, storage] : tensors) {
    storage->wait(loc);
    runtime::TensorView view = storage->view();
    if (storage->device().isGpu()) {
      auto copy = runtime::HostTensor::create(view.dtype, view.shape);
      check(copy.status(), loc);
      storage->copyToHost(copy->data(), loc);
      view = copy->view();
      copies.push_back(std::move(*copy));
    }
    named.push_back({name, view});
  }
  check(io::writeSafeTensors(path, named), loc);
}
