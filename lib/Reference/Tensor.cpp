//===- Tensor.cpp - Tensors of the reference evaluator --------------------===//

#include "tripy/Reference/Tensor.h"

#include "Elements.h"
#include "tripy/Base/CheckedMath.h"
#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/STLExtras.h"

#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace tripy;
using namespace tripy::reference;

//===-- memory ------------------------------------------------------------===//

std::optional<int64_t> reference::volumeOf(ArrayRef<int64_t> shape) {
  std::optional<int64_t> volume = 1;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    // One size of 0 makes the volume 0, whatever the others are.
    if (volume)
      volume = checkedMul(*volume, size);
  }
  if (llvm::is_contained(shape, 0))
    return 0;
  return volume;
}

std::optional<Tensor> Tensor::create(DType dtype, ArrayRef<int64_t> shape,
                                     const std::shared_ptr<uint64_t> &meter) {
  constexpr int64_t maxBytes = int64_t(1) << 48;
  std::optional<int64_t> volume = volumeOf(shape);
  if (!volume || *volume > maxBytes / static_cast<int64_t>(dtypeSize(dtype)))
    return std::nullopt;
  uint64_t bytes = *volume * dtypeSize(dtype);
  void *memory = std::malloc(std::max<uint64_t>(bytes, 1));
  if (!memory)
    return std::nullopt;
  if (meter)
    *meter += bytes;
  Tensor tensor;
  tensor.type = dtype;
  tensor.dims.assign(shape.begin(), shape.end());
  tensor.storage = std::shared_ptr<void>(memory, [meter, bytes](void *block) {
    if (meter)
      *meter -= bytes;
    std::free(block);
  });
  tensor.first = memory;
  return tensor;
}

Tensor Tensor::borrow(DType dtype, ArrayRef<int64_t> shape, const void *data) {
  Tensor tensor;
  tensor.type = dtype;
  tensor.dims.assign(shape.begin(), shape.end());
  tensor.first = data;
  return tensor;
}

std::optional<Tensor> Tensor::fromRuntime(DType dtype, ArrayRef<int64_t> shape,
                                          const void *data) {
  if (!isPacked(dtype))
    return borrow(dtype, shape, data);
  std::optional<Tensor> tensor = create(dtype, shape);
  if (!tensor)
    return std::nullopt;
  const auto *bytes = static_cast<const uint8_t *>(data);
  auto *out = static_cast<int8_t *>(tensor->mutableData());
  for (int64_t i = 0, n = tensor->elements(); i < n; ++i)
    out[i] = unpackI4(bytes[i / 2], i % 2);
  return tensor;
}

void Tensor::toRuntime(void *data) const {
  if (!isPacked(type)) {
    if (bytes() > 0)
      std::memcpy(data, first, bytes());
    return;
  }
  auto *out = static_cast<uint8_t *>(data);
  const auto *in = static_cast<const int8_t *>(first);
  for (int64_t i = 0, n = elements(); i < n; ++i)
    out[i / 2] = packI4(i % 2 ? out[i / 2] : 0, i % 2, in[i]);
}

int64_t Tensor::elements() const { return *volumeOf(dims); }

Tensor Tensor::withShape(ArrayRef<int64_t> shape) const {
  assert(volumeOf(shape) == elements() && "another number of elements");
  Tensor result = *this;
  result.dims.assign(shape.begin(), shape.end());
  return result;
}

double Tensor::toDouble(int64_t index) const {
  return withElement(type, [&](auto element) {
    using E = decltype(element);
    return convertValue<double>(E::load(E::at(first)[index]));
  });
}

int64_t Tensor::toInt(int64_t index) const {
  return withElement(type, [&](auto element) {
    using E = decltype(element);
    return convertValue<int64_t>(E::load(E::at(first)[index]));
  });
}

//===-- attributes --------------------------------------------------------===//

static std::optional<Tensor>
borrowResource(DType dtype, ArrayRef<int64_t> shape, ArrayRef<char> data,
               const std::shared_ptr<uint64_t> &meter) {
  // A blob read from text is aligned as it asks to be; unaligned data is read
  // through a copy.
  if (reinterpret_cast<uintptr_t>(data.data()) % dtypeSize(dtype) == 0)
    return Tensor::borrow(dtype, shape, data.data());
  std::optional<Tensor> copy = Tensor::create(dtype, shape, meter);
  if (copy)
    std::memcpy(copy->mutableData(), data.data(), data.size());
  return copy;
}

/// Repeats the one element at `element`, or unpacks bits: what lies in memory
/// otherwise than a tensor.
static std::optional<Tensor> copyDense(DType dtype, DenseElementsAttr dense,
                                       const std::shared_ptr<uint64_t> &meter) {
  std::optional<Tensor> tensor =
      Tensor::create(dtype, dense.getType().getShape(), meter);
  if (!tensor)
    return std::nullopt;
  char *out = static_cast<char *>(tensor->mutableData());
  if (dtype == DType::Bool) {
    if (dense.empty())
      return tensor;
    if (dense.isSplat()) {
      std::memset(out, dense.getSplatValue<bool>(), tensor->bytes());
      return tensor;
    }
    for (bool value : dense.getValues<bool>())
      *out++ = value;
    return tensor;
  }
  if (isPacked(dtype)) {
    for (const APInt &value : dense.getValues<APInt>())
      *out++ = static_cast<char>(value.getSExtValue());
    return tensor;
  }
  size_t size = dtypeSize(dtype);
  ArrayRef<char> raw = dense.getRawData();
  for (uint64_t at = 0, end = tensor->bytes(); at < end; at += size)
    std::memcpy(out + at, raw.data(), size);
  return tensor;
}

std::optional<Tensor>
reference::readConstant(ElementsAttr value,
                        const std::shared_ptr<uint64_t> &meter) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  std::optional<DType> dtype =
      type ? dtypeOf(type.getElementType()) : std::nullopt;
  if (!dtype || !type.hasStaticShape())
    return std::nullopt;
  std::optional<int64_t> volume = volumeOf(type.getShape());
  if (!volume)
    return std::nullopt;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    const AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || byteCount(*dtype, *volume) != blob->getData().size())
      return std::nullopt;
    if (isPacked(*dtype))
      return Tensor::fromRuntime(*dtype, type.getShape(),
                                 blob->getData().data());
    return borrowResource(*dtype, type.getShape(), blob->getData(), meter);
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return std::nullopt;
  ArrayRef<char> raw = dense.getRawData();
  if (*dtype != DType::Bool && !isPacked(*dtype) &&
      raw.size() == *volume * dtypeSize(*dtype))
    return Tensor::borrow(*dtype, type.getShape(), raw.data());
  return copyDense(*dtype, dense, meter);
}

DenseElementsAttr reference::toAttribute(const Tensor &tensor,
                                         RankedTensorType type) {
  assert(tensor.shape() == type.getShape() &&
         tensor.dtype() == dtypeOf(type.getElementType()));
  const char *data = static_cast<const char *>(tensor.data());
  uint64_t bytes = tensor.bytes(), size = dtypeSize(tensor.dtype());
  // Equal elements: every one is the next.
  bool splat = bytes > size && !std::memcmp(data, data + size, bytes - size);
  if (tensor.dtype() == DType::Bool) {
    SmallVector<bool> values(data, data + (splat ? 1 : bytes));
    return DenseElementsAttr::get(type, values);
  }
  ArrayRef<char> raw(data, splat ? size : bytes);
  if (!isPacked(tensor.dtype()))
    return DenseElementsAttr::getFromRawBuffer(type, raw);
  // The attribute's bytes have no sign.
  auto bits = llvm::map_to_vector(
      raw, [](char value) { return static_cast<char>(value & 15); });
  return DenseElementsAttr::getFromRawBuffer(type, bits);
}
