//===- CublasLtApi.h - cuBLASLt as a table of functions ---------*- C++ -*-===//
//
// What the runtime asks of cuBLASLt, as one table that is filled from the
// library at run time: it is never required, neither to build nor to run. The
// few types and numbers of its interface are declared here; tests put their own
// table in its place. Depends on Base only; used by Runtime/Cuda, the
// CUDA emulator and tests.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_CUDA_CUBLASLTAPI_H
#define TRIPY_RUNTIME_CUDA_CUBLASLTAPI_H

#include "tripy/Base/Status.h"
#include "tripy/Runtime/Cuda/DriverApi.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tripy::cuda::lt {

/// cublasStatus_t; others are kept as numbers.
enum class Result : int32_t {
  Success = 0,
  NotInitialized = 1,
  AllocFailed = 3,
  InvalidValue = 7,
  ExecutionFailed = 13,
  NotSupported = 15,
};

using Handle = struct OpaqueHandle *;
using Desc = struct OpaqueDesc *;
using Layout = struct OpaqueLayout *;
using Preference = struct OpaquePreference *;

/// cudaDataType_t.
enum class DataType : int32_t { F32 = 0, F16 = 2, BF16 = 14, F8E4M3 = 28 };
/// cublasComputeType_t.
enum class ComputeType : int32_t { F32 = 68, FastTF32 = 77 };
/// cublasOperation_t.
enum class Operation : int32_t { None = 0, Transpose = 1 };
/// cublasLtEpilogue_t.
enum class Epilogue : uint32_t { None = 1, Bias = 4 };

/// cublasLtMatmulDescAttributes_t.
enum class DescAttribute : int32_t {
  TransA = 3,
  TransB = 4,
  Epilogue = 7,
  BiasPointer = 8,
};
/// cublasLtMatrixLayoutAttribute_t.
enum class LayoutAttribute : int32_t {
  BatchCount = 5,         ///< int32
  StridedBatchOffset = 6, ///< int64, in elements
};
/// cublasLtMatmulPreferenceAttributes_t.
enum class PreferenceAttribute : int32_t {
  MaxWorkspaceBytes = 1,   ///< uint64
  ReductionSchemeMask = 3, ///< uint32
  MinAlignmentA = 5,       ///< uint32, as the three after it
  MinAlignmentB = 6,
  MinAlignmentC = 7,
  MinAlignmentD = 8,
};
/// cublasLtReductionScheme_t: partial sums are added in the compute type, in a
/// separate step. The other schemes would round them to the result's type.
inline constexpr uint32_t reduceInComputeType = 2;

/// cublasLtMatmulAlgo_t.
struct Algorithm {
  uint64_t opaque[8];
};
/// cublasLtMatmulHeuristicResult_t.
struct HeuristicResult {
  Algorithm algorithm;
  size_t workspaceBytes;
  Result state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(HeuristicResult) == 96);

} // namespace tripy::cuda::lt

namespace tripy::cuda {

/// cuBLASLt counts versions as 10000 * major + 100 * minor + patch. 12.0 is the
/// first with everything that the runtime asks of it.
inline constexpr size_t minCublasLtVersion = 120000;

/// One member per function, named after it without "cublasLt". Matrices are
/// column-major: D[m, n] = alpha * op(A) op(B) + beta * C.
struct CublasLtApi {
  size_t (*getVersion)();
  const char *(*getStatusString)(lt::Result result);
  lt::Result (*create)(lt::Handle *handle);
  lt::Result (*destroy)(lt::Handle handle);
  lt::Result (*matmulDescCreate)(lt::Desc *desc, lt::ComputeType compute,
                                 lt::DataType scale);
  lt::Result (*matmulDescDestroy)(lt::Desc desc);
  lt::Result (*matmulDescSetAttribute)(lt::Desc desc,
                                       lt::DescAttribute attribute,
                                       const void *value, size_t bytes);
  lt::Result (*matrixLayoutCreate)(lt::Layout *layout, lt::DataType type,
                                   uint64_t rows, uint64_t columns,
                                   int64_t leadingDimension);
  lt::Result (*matrixLayoutDestroy)(lt::Layout layout);
  lt::Result (*matrixLayoutSetAttribute)(lt::Layout layout,
                                         lt::LayoutAttribute attribute,
                                         const void *value, size_t bytes);
  lt::Result (*matmulPreferenceCreate)(lt::Preference *preference);
  lt::Result (*matmulPreferenceDestroy)(lt::Preference preference);
  lt::Result (*matmulPreferenceSetAttribute)(lt::Preference preference,
                                             lt::PreferenceAttribute attribute,
                                             const void *value, size_t bytes);
  lt::Result (*matmulAlgoGetHeuristic)(lt::Handle handle, lt::Desc desc,
                                       lt::Layout a, lt::Layout b, lt::Layout c,
                                       lt::Layout d, lt::Preference preference,
                                       int wanted, lt::HeuristicResult *results,
                                       int *found);
  lt::Result (*matmul)(lt::Handle handle, lt::Desc desc, const void *alpha,
                       const void *a, lt::Layout layoutA, const void *b,
                       lt::Layout layoutB, const void *beta, const void *c,
                       lt::Layout layoutC, void *d, lt::Layout layoutD,
                       const lt::Algorithm *algorithm, void *workspace,
                       size_t workspaceBytes, StreamHandle stream);
};

/// A function's name in the library, and its place in a table.
struct CublasLtSlot {
  const char *name;
  void **place;
};

/// Every function of the table, with its place in `api`.
std::array<CublasLtSlot, 15> cublasLtSlots(CublasLtApi &api);

/// The table of this machine's cuBLASLt, loaded once and never unloaded: of the
/// file that the environment variable TRIPY_CUBLASLT names, or of the first of
/// libcublasLt.so.13 and .12 that the system's loader finds. Errors: NotFound
/// (no such library, or TRIPY_CUBLASLT is "none"), Unsupported.
Result<const CublasLtApi *> systemCublasLt();

/// Fills a table from the library of this name. Errors as above.
Result<CublasLtApi> loadCublasLt(const char *library);

/// Ok, or Unsupported when the version of the table's library is too old.
Status checkCublasLtVersion(const CublasLtApi &api);

/// "cuBLASLt 13.1.0".
std::string cublasLtName(const CublasLtApi &api);

} // namespace tripy::cuda

#endif // TRIPY_RUNTIME_CUDA_CUBLASLTAPI_H
