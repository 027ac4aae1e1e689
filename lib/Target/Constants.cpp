//===- Constants.cpp - Constants of the executable ------------------------===//

#include "TranslateState.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <new>

using namespace mlir;
using namespace tripy;
using namespace tripy::target;

std::span<uint8_t> ConstantTable::allocate(uint64_t bytes) {
  std::unique_ptr<uint8_t[]> memory(new (std::nothrow) uint8_t[bytes]);
  if (!memory)
    return {};
  result.unpacked.push_back(std::move(memory));
  return {result.unpacked.back().get(), bytes};
}

FailureOr<std::span<const uint8_t>>
ConstantTable::resourceBytes(DenseResourceElementsAttr value, Location loc) {
  AsmResourceBlob *blob = value.getRawHandle().getBlob();
  if (!blob)
    return emitError(loc, "a resource must have data; '")
           << value.getRawHandle().getKey() << "' has none";
  ArrayRef<char> data = blob->getData();
  auto first = reinterpret_cast<const uint8_t *>(data.data());
  uint64_t elements = value.getType().getNumElements();
  bool bits = value.getElementType().isInteger(1);
  uint64_t needed = tripy::bytesOf(value.getElementType(), elements);
  if (data.size() == needed && !bits)
    return std::span<const uint8_t>(first, data.size());
  bool packed = data.size() == llvm::divideCeil(elements, 8);
  if (!bits || (!packed && data.size() != elements))
    return emitError(loc, "a resource must have the bytes of its type; ")
           << value.getType() << " needs " << needed << ", but '"
           << value.getRawHandle().getKey() << "' has " << data.size();
  std::span<uint8_t> bytes = allocate(elements);
  if (bytes.empty() && elements > 0)
    return emitError(loc, "no memory for a constant");
  for (uint64_t i = 0; i < elements; ++i)
    bytes[i] = packed && data.size() != elements ? first[i / 8] >> (i % 8) & 1
                                                 : first[i] != 0;
  return std::span<const uint8_t>(bytes);
}

/// Two elements to a byte, as they lie in the executable.
FailureOr<std::span<const uint8_t>>
ConstantTable::packI4(DenseElementsAttr dense, Location loc) {
  uint64_t elements = dense.getNumElements();
  std::span<uint8_t> bytes =
      allocate(tripy::bytesOf(dense.getElementType(), elements));
  if (bytes.empty() && elements > 0)
    return emitError(loc, "no memory for a constant");
  for (auto [i, value] : llvm::enumerate(dense.getValues<APInt>()))
    bytes[i / 2] =
        tripy::packI4(i % 2 ? bytes[i / 2] : 0, i % 2, value.getSExtValue());
  return std::span<const uint8_t>(bytes);
}

FailureOr<std::span<const uint8_t>> ConstantTable::bytesOf(Attribute value,
                                                           Location loc) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return resourceBytes(resource, loc);
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return emitError(loc, "a constant must be dense or dense_resource");
  if (isInt4(dense.getElementType()))
    return packI4(dense, loc);
  uint64_t elements = dense.getNumElements();
  bool isBool = dense.getElementType().isInteger(1);
  if (!dense.isSplat() && !isBool) {
    ArrayRef<char> raw = dense.getRawData();
    return std::span(reinterpret_cast<const uint8_t *>(raw.data()), raw.size());
  }
  uint64_t width =
      llvm::divideCeil(dense.getElementType().getIntOrFloatBitWidth(), 8);
  // Splats are cloned into kernels; one that is not would be a surprise, and
  // must not eat the memory of the machine.
  constexpr uint64_t limit = uint64_t(1) << 32;
  if (elements > limit / width)
    return emitError(loc, "a repeated constant must have at most 4 GiB; ")
           << dense.getType() << " needs " << elements << " x " << width
           << " bytes";
  std::span<uint8_t> bytes = allocate(elements * width);
  if (bytes.empty() && elements > 0)
    return emitError(loc, "no memory for a constant");
  if (isBool) {
    for (auto [i, bit] : llvm::enumerate(dense.getValues<bool>()))
      bytes[i] = bit;
    return std::span<const uint8_t>(bytes);
  }
  for (uint64_t i = 0; i < elements; ++i)
    std::memcpy(bytes.data() + i * width, dense.getRawData().data(), width);
  return std::span<const uint8_t>(bytes);
}

Buffer ConstantTable::place(std::span<const uint8_t> bytes) {
  Buffer buffer{BufferKind::Constant, 0, 0, bytes.size()};
  if (bytes.empty())
    return buffer;
  auto [entry, isNew] = placed.try_emplace(bytes.data(), buffer);
  if (!isNew && entry->second.size == bytes.size())
    return entry->second;
  buffer.offset = llvm::alignTo(result.constantBytes, executableAlignment);
  result.pieces.push_back({buffer.offset, bytes});
  result.constantBytes = buffer.offset + bytes.size();
  entry->second = buffer;
  return buffer;
}
