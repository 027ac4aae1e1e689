//===- TensorView.cpp - Shapes and host tensors ---------------------------===//

#include "tripy/Runtime/TensorView.h"
#include "HostMemory.h"
#include "NoThrow.h"
#include "tripy/Base/Text.h"

#include <new>
#include <unistd.h>

using namespace tripy;
using namespace tripy::runtime;

uint64_t runtime::physicalMemory() {
  static const uint64_t bytes = [] {
    long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? uint64_t(pages) * uint64_t(size)
                                 : uint64_t(1) << 40;
  }();
  return bytes;
}

Result<void *> runtime::allocateHost(uint64_t bytes) {
  // Every machine has some memory; to ask it for how much is a system call.
  constexpr uint64_t always = uint64_t(1) << 20;
  void *address =
      bytes <= always || bytes <= physicalMemory()
          ? ::operator new(bytes, std::align_val_t(hostAlignment), std::nothrow)
          : nullptr;
  if (!address)
    return Status(Code::HostOutOfMemory,
                  concat("no memory for ", formatBytes(bytes),
                         "; this machine has ", formatBytes(physicalMemory())));
  return address;
}

void runtime::freeHost(void *address) {
  ::operator delete(address, std::align_val_t(hostAlignment));
}

Result<Shape> Shape::fromSizes(std::span<const int64_t> sizes) {
  if (sizes.size() > maxRank)
    return Status(
        Code::LimitExceeded,
        concat("the rank may be at most ", maxRank, ", but is ", sizes.size()));
  for (int64_t size : sizes)
    if (size < 0)
      return Status(Code::InvalidArgument,
                    concat("sizes may not be negative, but one is ", size));
  return Shape(sizes);
}

std::optional<uint64_t> Shape::elements() const {
  uint64_t product = 1;
  bool overflow = false;
  for (int64_t size : sizes()) {
    if (size < 0)
      return std::nullopt;
    if (size == 0)
      return 0;
    overflow |= __builtin_mul_overflow(product, uint64_t(size), &product);
  }
  return overflow ? std::nullopt : std::optional(product);
}

std::optional<uint64_t> Shape::bytes(DType dtype) const {
  std::optional<uint64_t> count = elements();
  return count ? byteCount(dtype, *count) : count;
}

std::string Shape::str() const { return formatSizes(sizes()); }

void HostTensor::Release::operator()(uint8_t *pointer) const {
  freeHost(pointer);
}

Result<HostTensor> HostTensor::create(DType dtype, const Shape &shape) {
  return withoutExceptions("for a tensor", [&]() -> Result<HostTensor> {
    for (int64_t size : shape.sizes())
      if (size < 0)
        return Status(
            Code::InvalidArgument,
            concat("sizes may not be negative, but are ", shape.str()));
    std::optional<uint64_t> bytes = shape.bytes(dtype);
    if (!bytes)
      return Status(Code::LimitExceeded,
                    concat("a tensor of ", dtypeName(dtype), " and shape ",
                           shape.str(), " has more than 2^64 bytes"));
    HostTensor tensor;
    tensor.type = dtype;
    tensor.dims = shape;
    tensor.sizeInBytes = *bytes;
    if (*bytes == 0)
      return tensor;
    Result<void *> address = allocateHost(*bytes);
    if (!address)
      return address.status();
    tensor.memory.reset(static_cast<uint8_t *>(*address));
    // The half behind an odd number of elements is 0.
    if (isPacked(dtype))
      tensor.memory.get()[*bytes - 1] = 0;
    return tensor;
  });
}
