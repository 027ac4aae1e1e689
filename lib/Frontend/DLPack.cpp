//===- DLPack.cpp - Tensors of other libraries, and for them --------------===//

#include "tripy/Frontend/DLPack.h"

#include "Call.h"
#include "Evaluate.h"
#include "Throw.h"

#include <algorithm>
#include <cstddef>

using namespace tripy;
using namespace tripy::frontend;

// The layout is the interface.
static_assert(sizeof(DLTensor) == 48 && offsetof(DLTensor, device) == 8 &&
              offsetof(DLTensor, ndim) == 16 &&
              offsetof(DLTensor, dtype) == 20 &&
              offsetof(DLTensor, shape) == 24 &&
              offsetof(DLTensor, byte_offset) == 40);
static_assert(sizeof(DLManagedTensor) == 64 &&
              offsetof(DLManagedTensor, deleter) == 56);
static_assert(sizeof(DLManagedTensorVersioned) == 80 &&
              offsetof(DLManagedTensorVersioned, deleter) == 16 &&
              offsetof(DLManagedTensorVersioned, dl_tensor) == 32);

/// The version of which this file knows all numbers that it needs.
static constexpr uint32_t knownMajor = 1, knownMinor = 1;

namespace {
struct DTypeRow {
  DType dtype;
  uint8_t code, bits;
};
} // namespace

/// DLPack has no integers of 4 bits that lie two to a byte.
static constexpr DTypeRow dtypeRows[] = {
    {float64, kDLFloat, 64},       {float32, kDLFloat, 32},
    {float16, kDLFloat, 16},       {bfloat16, kDLBfloat, 16},
    {float8, kDLFloat8_e4m3fn, 8}, {float8_e5m2, kDLFloat8_e5m2, 8},
    {int64, kDLInt, 64},           {int32, kDLInt, 32},
    {int16, kDLInt, 16},           {int8, kDLInt, 8},
    {uint8, kDLUInt, 8},           {boolean, kDLBool, 8},
};

//===-- in ----------------------------------------------------------------===//

namespace {

/// Checks a tensor of somebody else's, and views it.
class DLPackReader {
public:
  DLPackReader(const DLTensor &tensor, SourceLoc loc)
      : tensor(tensor), loc(loc) {}
  runtime::TensorView read() const;

private:
  [[noreturn]] void refuse(Code code, const std::string &text) const {
    fail(code, "the DLPack tensor " + text, loc);
  }
  DType readDType() const;
  void readDevice(runtime::TensorView &view) const;
  runtime::Shape readShape() const;
  void checkStrides(const runtime::Shape &shape) const;
  void checkTruthValues(const runtime::TensorView &view) const;

  const DLTensor &tensor;
  SourceLoc loc;
};

} // namespace

DType DLPackReader::readDType() const {
  const DLDataType &type = tensor.dtype;
  if (type.lanes != 1)
    refuse(Code::DTypeMismatch, "has elements of 1 lane; found " +
                                    std::to_string(type.lanes) + " lanes");
  std::string names;
  for (const DTypeRow &row : dtypeRows) {
    if (row.code == type.code && row.bits == type.bits)
      return row.dtype;
    names += (names.empty() ? "" : ", ") + std::string(dtypeName(row.dtype));
  }
  static constexpr const char *kinds[] = {
      "int", "uint", "float", "opaque handle", "bfloat", "complex", "bool"};
  std::string kind = type.code < std::size(kinds)
                         ? kinds[type.code]
                         : "type code " + std::to_string(type.code);
  refuse(Code::DTypeMismatch, "has elements of a type that Tripy has (" +
                                  names + "); found " + kind + " of " +
                                  std::to_string(type.bits) + " bits");
}

void DLPackReader::readDevice(runtime::TensorView &view) const {
  int32_t kind = tensor.device.device_type, number = tensor.device.device_id;
  std::string found = "found device type " + std::to_string(kind) +
                      ", number " + std::to_string(number);
  switch (kind) {
  case kDLCPU:
    if (number != 0)
      refuse(Code::DeviceMismatch, "on the CPU has device number 0; " + found);
    return;
  case kDLCUDAHost:
    return;
  case kDLCUDA:
  case kDLCUDAManaged:
    if (number < 0)
      refuse(Code::DeviceMismatch, "on a GPU has its number, from 0; " + found);
    view.device = DeviceKind::CUDA;
    view.ordinal = number;
    openDevice(Device::gpu(number), loc);
    return;
  default:
    refuse(Code::DeviceMismatch, "is on the CPU (type 1 or 3) or on a CUDA GPU "
                                 "(type 2 or 13); " +
                                     found);
  }
}

runtime::Shape DLPackReader::readShape() const {
  if (tensor.ndim < 0 || tensor.ndim > int32_t(runtime::maxRank))
    refuse(Code::InvalidArgument, "has a rank from 0 to " +
                                      std::to_string(runtime::maxRank) +
                                      "; found " + std::to_string(tensor.ndim));
  if (tensor.ndim > 0 && !tensor.shape)
    refuse(Code::InvalidArgument, "has a shape; found null");
  auto shape = runtime::Shape::fromSizes({tensor.shape, size_t(tensor.ndim)});
  if (!shape)
    refuse(shape.status().code(),
           "has sizes from 0; " + shape.status().message());
  if (!shape->bytes(DType::F64))
    refuse(Code::LimitExceeded,
           "has too many elements; found the shape " + shape->str());
  return *shape;
}

/// Strides of dimensions of size 1 say nothing, nor do those of no elements.
void DLPackReader::checkStrides(const runtime::Shape &shape) const {
  if (!tensor.strides || *shape.elements() == 0)
    return;
  int64_t expected = 1;
  for (uint32_t dim = shape.rank(); dim-- > 0;) {
    if (shape[dim] != 1 && tensor.strides[dim] != expected)
      refuse(Code::InvalidArgument,
             "is row-major without gaps: the stride of dimension " +
                 std::to_string(dim) + " of the shape " + shape.str() + " is " +
                 std::to_string(expected) + "; found " +
                 std::to_string(tensor.strides[dim]) +
                 "; make it contiguous first");
    expected *= shape[dim];
  }
}

/// What kernels compute from other bytes is not defined.
void DLPackReader::checkTruthValues(const runtime::TensorView &view) const {
  if (view.dtype != boolean || view.device != DeviceKind::CPU)
    return;
  auto *bytes = static_cast<const uint8_t *>(view.data);
  size_t count = *view.shape.elements();
  const uint8_t *bad =
      std::find_if(bytes, bytes + count, [](uint8_t byte) { return byte > 1; });
  if (bad != bytes + count)
    refuse(Code::InvalidArgument, "of bool has bytes 0 and 1; found " +
                                      std::to_string(*bad) + " as element " +
                                      std::to_string(bad - bytes));
}

runtime::TensorView DLPackReader::read() const {
  runtime::TensorView view;
  view.dtype = readDType();
  view.shape = readShape();
  readDevice(view);
  checkStrides(view.shape);
  if (*view.shape.elements() == 0)
    return view;
  if (!tensor.data)
    refuse(Code::InvalidArgument,
           "has elements of the shape " + view.shape.str() + "; found null");
  view.data = static_cast<uint8_t *>(tensor.data) + tensor.byte_offset;
  checkTruthValues(view);
  return view;
}

template <typename Managed>
static std::shared_ptr<Storage> takeOver(Managed *managed, SourceLoc loc) {
  runtime::TensorView view = DLPackReader(managed->dl_tensor, loc).read();
  return std::make_shared<Storage>(view, [managed] {
    if (managed->deleter)
      managed->deleter(managed);
  });
}

static void checkGiven(const void *managed, SourceLoc loc) {
  if (!managed)
    fail(Code::InvalidArgument, "the DLPack tensor is given; found null", loc);
}

/// On the device of the memory.
static Tensor makeTensor(std::shared_ptr<Storage> storage, SourceLoc loc) {
  DeviceNumber device = numberOf(storage->device());
  return Call::makeTensor(makeLeaf(std::move(storage), device, loc));
}

Tensor Tensor::fromDLPack(DLManagedTensor *managed, SourceLoc loc) {
  checkGiven(managed, loc);
  return makeTensor(takeOver(managed, loc), loc);
}

Tensor Tensor::fromDLPack(DLManagedTensorVersioned *managed, SourceLoc loc) {
  checkGiven(managed, loc);
  // No other field may be read before.
  if (managed->version.major != knownMajor)
    fail(Code::UnsupportedVersion,
         "the DLPack tensor has major version " + std::to_string(knownMajor) +
             "; found " + std::to_string(managed->version.major) + "." +
             std::to_string(managed->version.minor),
         loc);
  return makeTensor(takeOver(managed, loc), loc);
}

//===-- out ---------------------------------------------------------------===//

namespace {

/// A managed tensor and all that it points to.
template <typename Managed> struct GivenTensor {
  Managed managed = {};
  std::shared_ptr<const Storage> storage;
  std::vector<int64_t> shape, strides;
};

} // namespace

template <typename Managed> static void release(Managed *managed) {
  delete static_cast<GivenTensor<Managed> *>(managed->manager_ctx);
}

template <typename Managed>
static Managed *giveAway(std::shared_ptr<const Storage> storage,
                         SourceLoc loc) {
  auto given = std::make_unique<GivenTensor<Managed>>();
  const runtime::TensorView &view = storage->view();
  auto row = std::find_if(
      std::begin(dtypeRows), std::end(dtypeRows),
      [&](const DTypeRow &each) { return each.dtype == view.dtype; });
  if (row == std::end(dtypeRows))
    fail(Code::DTypeMismatch,
         "DLPack has no element type " + std::string(dtypeName(view.dtype)),
         loc);
  std::span<const int64_t> sizes = view.shape.sizes();
  given->shape.assign(sizes.begin(), sizes.end());
  given->strides.resize(sizes.size());
  int64_t stride = 1;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    given->strides[dim] = stride;
    stride *= sizes[dim];
  }
  DLTensor &tensor = given->managed.dl_tensor;
  tensor.data = view.data;
  tensor.device = {view.device == DeviceKind::CPU ? kDLCPU : kDLCUDA,
                   view.ordinal};
  tensor.ndim = int32_t(sizes.size());
  tensor.dtype = {row->code, row->bits, 1};
  tensor.shape = given->shape.data();
  tensor.strides = given->strides.data();
  given->managed.manager_ctx = given.get();
  given->managed.deleter = release<Managed>;
  storage->lend();
  given->storage = std::move(storage);
  return &given.release()->managed;
}

/// On the tensor's device: what was made from the host's numbers may not be
/// there yet.
static std::shared_ptr<const Storage> valueToGive(const Tensor &tensor,
                                                  SourceLoc loc) {
  const Value &value = Call::use(tensor, loc);
  auto storage = bringTo(deviceOf(*value.node), evaluate(value, loc), loc);
  storage->wait(loc);
  return storage;
}

DLManagedTensorVersioned *Tensor::toDLPack(SourceLoc loc) const {
  auto *managed =
      giveAway<DLManagedTensorVersioned>(valueToGive(*this, loc), loc);
  managed->version = {knownMajor, knownMinor};
  // Other tensors, and programs that are compiled later, have the same memory.
  managed->flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  return managed;
}

DLManagedTensor *Tensor::toLegacyDLPack(SourceLoc loc) const {
  DType type = dtype(loc);
  if (type == float8 || type == float8_e5m2)
    fail(Code::InvalidArgument,
         "DLPack before 1.1 has no element type " +
             std::string(dtypeName(type)) + "; toDLPack() gives it",
         loc, {{this->loc(), "the tensor"}});
  return giveAway<DLManagedTensor>(valueToGive(*this, loc), loc);
}
