//===- NpyHeader.h - The header of a .npy file ------------------*- C++ -*-===//
//
// Reads the Python dictionary at the head of a .npy file. Private to
// Runtime/IO.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_IO_NPYHEADER_H
#define TRIPY_RUNTIME_IO_NPYHEADER_H

#include "Source.h"
#include "tripy/Runtime/IO/Npy.h"

namespace tripy::io {

struct NpyHeader {
  DType dtype = DType::F32;
  bool fortranOrder = false;
  Shape shape;
  /// Byte of the file where the elements begin.
  size_t dataOffset = 0;
};

/// Reads and checks the header of an array of `size` bytes from `stream`, and
/// leaves it where the elements begin; how many of them follow is not checked.
Result<NpyHeader> readNpyHeader(ByteStream &stream, uint64_t size,
                                const NpyOptions &options);

/// Reads an array of `size` bytes from `stream`. Takes memory for the tensor
/// and the header, once the header agrees with `size` and with the options.
Result<HostTensor> readNpyStream(ByteStream &stream, uint64_t size,
                                 const NpyOptions &options);

/// The type that an array of a file has for elements of `dtype`: int8 for int4.
DType typeInFile(DType dtype);
/// A byte for each element of `tensor`, of int4 in host memory.
Result<HostTensor> unpackElements(const TensorView &tensor);

/// Refuses elements that are invalid for their type: a bool is 0 or 1.
Status checkElements(std::optional<DType> dtype, std::span<const uint8_t> data);

} // namespace tripy::io

#endif // TRIPY_RUNTIME_IO_NPYHEADER_H
