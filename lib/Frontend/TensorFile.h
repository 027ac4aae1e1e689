//===- TensorFile.h - Tensors of files, without copying ---------*- C++ -*-===//
//
// Private to the frontend.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_TENSORFILE_H
#define TRIPY_LIB_FRONTEND_TENSORFILE_H

#include "Storage.h"

#include <string>
#include <vector>

namespace tripy::frontend {

struct NamedStorage {
  std::string name;
  std::shared_ptr<const Storage> storage;
};

/// The tensors of a safetensors file, mapped: pages are read when they are
/// used. They may lie at any address. Throws Error at `loc`.
std::vector<NamedStorage> mapTensors(const std::string &path, SourceLoc loc);

/// Writes a safetensors file, which appears when it is complete. Throws Error
/// at `loc`.
void writeTensors(const std::string &path,
                  const std::vector<NamedStorage> &tensors, SourceLoc loc);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_TENSORFILE_H
