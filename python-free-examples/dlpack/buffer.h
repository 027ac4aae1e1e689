//===- buffer.h - Memory that Tripy knows nothing of ------------*- C++ -*-===//
#ifndef TRIPY_EXAMPLES_DLPACK_BUFFER_H
#define TRIPY_EXAMPLES_DLPACK_BUFFER_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

/// Numbers in memory of the CPU or of a GPU, as another library has them.
class Buffer {
public:
  virtual ~Buffer() = default;
  virtual void *data() = 0;
  /// Copies `count` numbers that stand at an address of the same device.
  virtual std::vector<float> read(const void *address, size_t count) = 0;
};

std::unique_ptr<Buffer> makeHostBuffer(const std::vector<float> &values);
/// Of the CUDA driver, which is loaded when this is called. Throws
/// std::runtime_error.
std::unique_ptr<Buffer> makeCudaBuffer(const std::vector<float> &values,
                                       int32_t gpu);

#endif // TRIPY_EXAMPLES_DLPACK_BUFFER_H
