//===- CublasLt.cpp - A stand-in for cuBLASLt on the emulator -------------===//
//
// libcublasLt.so.13 for tests: as much of its interface as the runtime uses,
// for dense layouts. A product is a function of the host in the stream's order,
// which sums in double and rounds once. It checks what it is given, and spoils
// its workspace as a library may.
//
//===----------------------------------------------------------------------===//

#include "tripy/Base/Float.h"
#include "tripy/Runtime/Cuda/CublasLtApi.h"

#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <vector>

#define TRIPY_LIBRARY_CALL extern "C" __attribute__((visibility("default")))

using namespace tripy;
using namespace tripy::cuda;

namespace tripy::cuda::lt {

struct OpaqueHandle {};

struct OpaqueDesc {
  ComputeType compute = ComputeType::F32;
  Operation operations[2] = {Operation::None, Operation::None};
  Epilogue epilogue = Epilogue::None;
  const void *bias = nullptr;
};

struct OpaqueLayout {
  DataType type = DataType::F32;
  uint64_t rows = 0, columns = 0;
  int32_t batch = 1;
  int64_t stride = 0;
};

struct OpaquePreference {
  uint64_t workspaceBytes = 0;
  uint32_t reductionSchemes = 7;
  uint32_t alignments[4] = {256, 256, 256, 256};
};

} // namespace tripy::cuda::lt

/// What the only algorithm is known by, and its workspace.
static constexpr uint64_t algorithmMark = 0x74726970;
static constexpr size_t workspaceBytes = 4096;

static DType dtypeOf(lt::DataType type) {
  switch (type) {
  case lt::DataType::F16:
    return DType::F16;
  case lt::DataType::BF16:
    return DType::BF16;
  case lt::DataType::F8E4M3:
    return DType::F8E4M3FN;
  case lt::DataType::F32:
    break;
  }
  return DType::F32;
}

namespace {

/// One product, with all that a launch gives it. Column-major.
struct Product {
  lt::OpaqueDesc desc;
  lt::OpaqueLayout layouts[3];
  const uint8_t *a, *b;
  uint8_t *d, *workspace;

  bool transposed(int operand) const {
    return desc.operations[operand] == lt::Operation::Transpose;
  }
  uint64_t rows() const { return layouts[2].rows; }
  uint64_t columns() const { return layouts[2].columns; }
  uint64_t depth() const {
    return transposed(0) ? layouts[0].rows : layouts[0].columns;
  }
  /// Whether the layouts are those of one product.
  bool isSound() const {
    const auto &[a, b, d] = layouts;
    return (transposed(0) ? a.columns : a.rows) == d.rows &&
           (transposed(1) ? b.rows : b.columns) == d.columns &&
           (transposed(1) ? b.columns : b.rows) == depth() &&
           a.type == b.type && a.batch == d.batch && b.batch == d.batch;
  }
  double element(int operand, const uint8_t *data, int32_t batch, uint64_t row,
                 uint64_t column) const {
    const lt::OpaqueLayout &layout = layouts[operand];
    if (transposed(operand))
      std::swap(row, column);
    return loadAsDouble(dtypeOf(layout.type), data,
                        uint64_t(batch) * uint64_t(layout.stride) +
                            column * layout.rows + row);
  }
  void compute() const;
};

} // namespace

void Product::compute() const {
  std::memset(workspace, 0xab, workspaceBytes);
  DType type = dtypeOf(layouts[2].type);
  for (int32_t batch = 0; batch < layouts[2].batch; ++batch)
    for (uint64_t column = 0; column < columns(); ++column)
      for (uint64_t row = 0; row < rows(); ++row) {
        double sum = 0;
        for (uint64_t k = 0; k < depth(); ++k)
          sum += element(0, a, batch, row, k) * element(1, b, batch, k, column);
        if (desc.epilogue == lt::Epilogue::Bias)
          sum += loadAsDouble(type, desc.bias, row);
        storeFromDouble(type, d,
                        uint64_t(batch) * uint64_t(layouts[2].stride) +
                            column * rows() + row,
                        sum);
      }
}

//===-- objects -----------------------------------------------------------===//

TRIPY_LIBRARY_CALL size_t cublasLtGetVersion() { return 130000; }

TRIPY_LIBRARY_CALL const char *cublasLtGetStatusString(lt::Result) {
  return "an error of the stand-in for cuBLASLt";
}

TRIPY_LIBRARY_CALL lt::Result cublasLtCreate(lt::Handle *handle) {
  *handle = new lt::OpaqueHandle;
  return lt::Result::Success;
}

TRIPY_LIBRARY_CALL lt::Result cublasLtDestroy(lt::Handle handle) {
  delete handle;
  return lt::Result::Success;
}

TRIPY_LIBRARY_CALL lt::Result cublasLtMatmulDescCreate(lt::Desc *desc,
                                                       lt::ComputeType compute,
                                                       lt::DataType scale) {
  if (scale != lt::DataType::F32)
    return lt::Result::NotSupported;
  *desc = new lt::OpaqueDesc{compute};
  return lt::Result::Success;
}

TRIPY_LIBRARY_CALL lt::Result cublasLtMatmulDescDestroy(lt::Desc desc) {
  delete desc;
  return lt::Result::Success;
}

template <typename Value>
static lt::Result set(Value &place, const void *value, size_t bytes) {
  if (!value || bytes != sizeof(place))
    return lt::Result::InvalidValue;
  std::memcpy(&place, value, sizeof(place));
  return lt::Result::Success;
}

TRIPY_LIBRARY_CALL lt::Result
cublasLtMatmulDescSetAttribute(lt::Desc desc, lt::DescAttribute attribute,
                               const void *value, size_t bytes) {
  switch (attribute) {
  case lt::DescAttribute::TransA:
    return set(desc->operations[0], value, bytes);
  case lt::DescAttribute::TransB:
    return set(desc->operations[1], value, bytes);
  case lt::DescAttribute::Epilogue:
    return set(desc->epilogue, value, bytes);
  case lt::DescAttribute::BiasPointer:
    return set(desc->bias, value, bytes);
  }
  return lt::Result::NotSupported;
}

TRIPY_LIBRARY_CALL lt::Result
cublasLtMatrixLayoutCreate(lt::Layout *layout, lt::DataType type, uint64_t rows,
                           uint64_t columns, int64_t leadingDimension) {
  if (leadingDimension != int64_t(rows))
    return lt::Result::NotSupported;
  *layout = new lt::OpaqueLayout{type, rows, columns};
  return lt::Result::Success;
}

TRIPY_LIBRARY_CALL lt::Result cublasLtMatrixLayoutDestroy(lt::Layout layout) {
  delete layout;
  return lt::Result::Success;
}

TRIPY_LIBRARY_CALL lt::Result
cublasLtMatrixLayoutSetAttribute(lt::Layout layout,
                                 lt::LayoutAttribute attribute,
                                 const void *value, size_t bytes) {
  return attribute == lt::LayoutAttribute::BatchCount
             ? set(layout->batch, value, bytes)
             : set(layout->stride, value, bytes);
}

TRIPY_LIBRARY_CALL lt::Result
cublasLtMatmulPreferenceCreate(lt::Preference *preference) {
  *preference = new lt::OpaquePreference;
  return lt::Result::Success;
}

TRIPY_LIBRARY_CALL lt::Result
cublasLtMatmulPreferenceDestroy(lt::Preference preference) {
  delete preference;
  return lt::Result::Success;
}

TRIPY_LIBRARY_CALL lt::Result
cublasLtMatmulPreferenceSetAttribute(lt::Preference preference,
                                     lt::PreferenceAttribute attribute,
                                     const void *value, size_t bytes) {
  using Attribute = lt::PreferenceAttribute;
  if (attribute == Attribute::MaxWorkspaceBytes)
    return set(preference->workspaceBytes, value, bytes);
  if (attribute == Attribute::ReductionSchemeMask)
    return set(preference->reductionSchemes, value, bytes);
  int number = int(attribute) - int(Attribute::MinAlignmentA);
  return set(preference->alignments[number], value, bytes);
}

//===-- products ----------------------------------------------------------===//

TRIPY_LIBRARY_CALL lt::Result
cublasLtMatmulAlgoGetHeuristic(lt::Handle, lt::Desc desc, lt::Layout a,
                               lt::Layout b, lt::Layout c, lt::Layout d,
                               lt::Preference preference, int wanted,
                               lt::HeuristicResult *results, int *found) {
  *found = 0;
  Product product{*desc, {*a, *b, *d}, nullptr, nullptr, nullptr, nullptr};
  if (!product.isSound() || c->type != d->type || wanted < 1)
    return lt::Result::InvalidValue;
  if (preference->workspaceBytes < workspaceBytes)
    return lt::Result::NotSupported;
  results[0] = {};
  results[0].algorithm.opaque[0] = algorithmMark;
  results[0].workspaceBytes = workspaceBytes;
  *found = 1;
  return lt::Result::Success;
}

/// Enqueues a call of `product`, which lives as long as the process: a graph
/// may hold it.
static lt::Result enqueue(std::unique_ptr<Product> product,
                          StreamHandle stream) {
  static std::mutex mutex;
  static std::vector<std::unique_ptr<Product>> all;
  using LaunchHostFunc = DriverResult(StreamHandle, void (*)(void *), void *);
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  auto *launch = driver ? reinterpret_cast<LaunchHostFunc *>(
                              dlsym(driver, "cuLaunchHostFunc"))
                        : nullptr;
  if (!launch)
    return lt::Result::NotInitialized;
  std::lock_guard lock(mutex);
  Product *data = all.emplace_back(std::move(product)).get();
  auto call = [](void *data) { static_cast<Product *>(data)->compute(); };
  return launch(stream, call, data) == DriverResult::Success
             ? lt::Result::Success
             : lt::Result::ExecutionFailed;
}

TRIPY_LIBRARY_CALL lt::Result
cublasLtMatmul(lt::Handle, lt::Desc desc, const void *alpha, const void *a,
               lt::Layout layoutA, const void *b, lt::Layout layoutB,
               const void *beta, const void *c, lt::Layout, void *d,
               lt::Layout layoutD, const lt::Algorithm *algorithm,
               void *workspace, size_t bytes, StreamHandle stream) {
  auto number = [](const void *value) {
    return *static_cast<const float *>(value);
  };
  if (number(alpha) != 1 || number(beta) != 0 || !a || !b || c != d ||
      algorithm->opaque[0] != algorithmMark || !workspace ||
      bytes < workspaceBytes)
    return lt::Result::InvalidValue;
  return enqueue(
      std::make_unique<Product>(Product{*desc,
                                        {*layoutA, *layoutB, *layoutD},
                                        static_cast<const uint8_t *>(a),
                                        static_cast<const uint8_t *>(b),
                                        static_cast<uint8_t *>(d),
                                        static_cast<uint8_t *>(workspace)}),
      stream);
}
