//===- cublaslt.cpp - Matrix products of cuBLASLt, for the harness --------===//
//
// A small C interface over cublasLtMatmul: every algorithm that the heuristic
// returns can be run. harness.py compiles it on the machine that has CUDA:
//
//   g++ -O2 -shared -fPIC cublaslt.cpp -o libbench_cublaslt.so -I$CUDA/include
//       -L$CUDA/lib64 -lcublasLt
//
//===----------------------------------------------------------------------===//

#include <cublasLt.h>

#include <cstdint>
#include <vector>

namespace {
struct Product {
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatrixLayout_t left = nullptr, right = nullptr, result = nullptr;
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms;
};

cublasLtMatrixLayout_t layoutOf(cudaDataType_t type, int64_t rows,
                                int64_t columns, int64_t batch) {
  cublasLtMatrixLayout_t layout = nullptr;
  cublasLtMatrixLayoutCreate(&layout, type, uint64_t(rows), uint64_t(columns),
                             rows);
  int32_t count = int32_t(batch);
  int64_t stride = rows * columns;
  cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                   &count, sizeof(count));
  cublasLtMatrixLayoutSetAttribute(layout,
                                   CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                   &stride, sizeof(stride));
  return layout;
}
} // namespace

extern "C" {

// y[m, n] = a b^T in row-major terms. `aTransposed`: a is stored k x m;
// `bPlain`: b is stored k x n. `type`: 0 f16, 1 bf16, 2 f32, 3 tf32, 4
// f8E4M3FN with scales of 1, whose y is f16. Returns null when there is no
// algorithm.
void *bench_lt_create(int64_t m, int64_t n, int64_t k, int64_t batch, int type,
                      int aTransposed, int bPlain, uint64_t workspace,
                      int limit) {
  auto *product = new Product;
  constexpr cudaDataType_t elements[] = {CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F,
                                         CUDA_R_32F, CUDA_R_8F_E4M3};
  cudaDataType_t element = elements[type];
  cublasComputeType_t compute =
      type == 3 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  cublasLtCreate(&product->handle);
  cublasLtMatmulDescCreate(&product->desc, compute, CUDA_R_32F);
  // cuBLAS is column-major: it computes y^T[n, m] = op(b) op(a).
  cublasOperation_t first = bPlain ? CUBLAS_OP_N : CUBLAS_OP_T;
  cublasOperation_t second = aTransposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasLtMatmulDescSetAttribute(product->desc, CUBLASLT_MATMUL_DESC_TRANSA,
                                 &first, sizeof(first));
  cublasLtMatmulDescSetAttribute(product->desc, CUBLASLT_MATMUL_DESC_TRANSB,
                                 &second, sizeof(second));
  product->left =
      bPlain ? layoutOf(element, n, k, batch) : layoutOf(element, k, n, batch);
  product->right = aTransposed ? layoutOf(element, m, k, batch)
                               : layoutOf(element, k, m, batch);
  product->result = layoutOf(type == 4 ? CUDA_R_16F : element, n, m, batch);
  cublasLtMatmulPreference_t preference = nullptr;
  cublasLtMatmulPreferenceCreate(&preference);
  cublasLtMatmulPreferenceSetAttribute(preference,
                                       CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                       &workspace, sizeof(workspace));
  product->algorithms.resize(size_t(limit));
  int found = 0;
  cublasLtMatmulAlgoGetHeuristic(product->handle, product->desc, product->left,
                                 product->right, product->result,
                                 product->result, preference, limit,
                                 product->algorithms.data(), &found);
  cublasLtMatmulPreferenceDestroy(preference);
  product->algorithms.resize(size_t(found));
  if (found > 0)
    return product;
  delete product;
  return nullptr;
}

int bench_lt_count(void *product) {
  return int(static_cast<Product *>(product)->algorithms.size());
}

// 0 when the product is enqueued on `stream`.
int bench_lt_run(void *handle, int algorithm, const void *a, const void *b,
                 void *y, void *workspace, uint64_t bytes, void *stream) {
  auto *product = static_cast<Product *>(handle);
  float one = 1, zero = 0;
  return cublasLtMatmul(product->handle, product->desc, &one, b, product->left,
                        a, product->right, &zero, y, product->result, y,
                        product->result,
                        &product->algorithms[size_t(algorithm)].algo, workspace,
                        bytes, static_cast<cudaStream_t>(stream));
}

void bench_lt_destroy(void *handle) {
  auto *product = static_cast<Product *>(handle);
  cublasLtMatrixLayoutDestroy(product->left);
  cublasLtMatrixLayoutDestroy(product->right);
  cublasLtMatrixLayoutDestroy(product->result);
  cublasLtMatmulDescDestroy(product->desc);
  cublasLtDestroy(product->handle);
  delete product;
}
}
