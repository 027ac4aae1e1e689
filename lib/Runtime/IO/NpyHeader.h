//===- NpyHeader.h - The header of a .npy file ------------------*- C++ -*-===//
//
// Reads the Python dictionary at the head of a .npy file. Private to
// Runtime/IO.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_IO_NPYHEADER_H
#define TRIPY_RUNTIME_IO_NPYHEADER_H

#include "tripy/Runtime/IO/Npy.h"

namespace tripy::io {

struct NpyHeader {
  DType dtype = DType::F32;
  bool fortranOrder = false;
  Shape shape;
  /// Byte of the file where the elements begin.
  size_t dataOffset = 0;
};

/// Reads and checks the header; the data's size is not looked at.
Result<NpyHeader> readNpyHeader(std::span<const uint8_t> bytes,
                                const NpyOptions &options);

} // namespace tripy::io

#endif // TRIPY_RUNTIME_IO_NPYHEADER_H
