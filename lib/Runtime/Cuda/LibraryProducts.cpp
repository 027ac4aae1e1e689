//===- LibraryProducts.cpp - Products that cuBLASLt computes --------------===//

#include "LibraryProducts.h"

#include "tripy/Base/Text.h"

#include <algorithm>

using namespace tripy;
using namespace tripy::cuda;

//===-- one product -------------------------------------------------------===//

/// The verifier has seen that a product has no other types.
static lt::DataType dataType(DType type) {
  switch (type) {
  case DType::F16:
    return lt::DataType::F16;
  case DType::BF16:
    return lt::DataType::BF16;
  case DType::F8E4M3FN:
    return lt::DataType::F8E4M3;
  default:
    return lt::DataType::F32;
  }
}

Status LibraryProduct::check(lt::Result result, std::string_view call,
                             Code code) const {
  if (result == lt::Result::Success)
    return Status::ok();
  const char *text = api.getStatusString(result);
  return Status(code, concat(cublasLtName(api), ": ", call, " failed: ",
                             printable(text ? text : "unknown", 200), " (",
                             static_cast<int32_t>(result), ")"));
}

LibraryProduct::~LibraryProduct() {
  for (lt::Layout layout : {layoutA, layoutB, layoutResult})
    if (layout)
      api.matrixLayoutDestroy(layout);
  if (desc)
    api.matmulDescDestroy(desc);
}

Status LibraryProduct::createDesc(const ProductAlignments &alignments) {
  lt::ComputeType compute =
      product.allowTF32 ? lt::ComputeType::FastTF32 : lt::ComputeType::F32;
  if (Status status =
          check(api.matmulDescCreate(&desc, compute, lt::DataType::F32),
                "cublasLtMatmulDescCreate");
      !status.isOk()) {
    desc = nullptr;
    return status;
  }
  auto set = [&](lt::DescAttribute attribute, const auto &value) {
    return check(
        api.matmulDescSetAttribute(desc, attribute, &value, sizeof(value)),
        "cublasLtMatmulDescSetAttribute");
  };
  // Matrices are column-major there: result^T[n, m] = op(B) op(A).
  auto operation = [](bool transposed) {
    return transposed ? lt::Operation::Transpose : lt::Operation::None;
  };
  if (Status status =
          set(lt::DescAttribute::TransA, operation(product.transposedB));
      !status.isOk())
    return status;
  if (Status status =
          set(lt::DescAttribute::TransB, operation(product.transposedA));
      !status.isOk() || product.bias == noIndex)
    return status;
  if (Status status = set(lt::DescAttribute::Epilogue, lt::Epilogue::Bias);
      !status.isOk())
    return status;
  // The heuristic does not dereference the pointer, it looks at its alignment.
  uint64_t aligned = alignments.bias;
  return set(lt::DescAttribute::BiasPointer, aligned);
}

Status LibraryProduct::createLayout(lt::Layout &layout, DType type,
                                    int64_t rows, int64_t columns) {
  if (Status status =
          check(api.matrixLayoutCreate(&layout, dataType(type), uint64_t(rows),
                                       uint64_t(columns), rows),
                "cublasLtMatrixLayoutCreate");
      !status.isOk()) {
    layout = nullptr;
    return status;
  }
  if (product.batch == 1)
    return Status::ok();
  auto count = static_cast<int32_t>(product.batch);
  int64_t stride = rows * columns;
  if (Status status = check(
          api.matrixLayoutSetAttribute(layout, lt::LayoutAttribute::BatchCount,
                                       &count, sizeof(count)),
          "cublasLtMatrixLayoutSetAttribute");
      !status.isOk())
    return status;
  return check(api.matrixLayoutSetAttribute(
                   layout, lt::LayoutAttribute::StridedBatchOffset, &stride,
                   sizeof(stride)),
               "cublasLtMatrixLayoutSetAttribute");
}

Status LibraryProduct::createLayouts() {
  auto [m, n, k] = std::array{product.m, product.n, product.k};
  auto make = [&](lt::Layout &layout, DType type, int64_t rows, int64_t columns,
                  bool transposed) {
    return createLayout(layout, type, transposed ? columns : rows,
                        transposed ? rows : columns);
  };
  if (Status status =
          make(layoutA, product.operandType, n, k, product.transposedB);
      !status.isOk())
    return status;
  if (Status status =
          make(layoutB, product.operandType, k, m, product.transposedA);
      !status.isOk())
    return status;
  return make(layoutResult, product.resultType, n, m, /*transposed=*/false);
}

Status LibraryProduct::setPreferences(lt::Preference preference,
                                      const ProductAlignments &alignments) {
  auto set = [&](lt::PreferenceAttribute attribute, const auto &value) {
    return check(api.matmulPreferenceSetAttribute(preference, attribute, &value,
                                                  sizeof(value)),
                 "cublasLtMatmulPreferenceSetAttribute");
  };
  using Attribute = lt::PreferenceAttribute;
  if (Status status =
          set(Attribute::MaxWorkspaceBytes, LibraryProducts::maxWorkspaceBytes);
      !status.isOk())
    return status;
  if (Status status =
          set(Attribute::ReductionSchemeMask, lt::reduceInComputeType);
      !status.isOk())
    return status;
  for (auto [attribute, alignment] :
       {std::pair(Attribute::MinAlignmentA, alignments.b),
        std::pair(Attribute::MinAlignmentB, alignments.a),
        std::pair(Attribute::MinAlignmentC, alignments.result),
        std::pair(Attribute::MinAlignmentD, alignments.result)})
    if (Status status = set(attribute, alignment); !status.isOk())
      return status;
  return Status::ok();
}

Status LibraryProduct::findAlgorithm(lt::Handle handle,
                                     const ProductAlignments &alignments) {
  lt::Preference preference = nullptr;
  if (Status status = check(api.matmulPreferenceCreate(&preference),
                            "cublasLtMatmulPreferenceCreate");
      !status.isOk())
    return status;
  std::unique_ptr<std::remove_pointer_t<lt::Preference>,
                  decltype(api.matmulPreferenceDestroy)>
      owned(preference, api.matmulPreferenceDestroy);
  if (Status status = setPreferences(preference, alignments); !status.isOk())
    return status;
  int found = 0;
  lt::Result result = api.matmulAlgoGetHeuristic(
      handle, desc, layoutA, layoutB, layoutResult, layoutResult, preference, 1,
      &algorithm, &found);
  // Having no algorithm is reported in either of two ways: as NotSupported, or
  // as success with none found.
  if (result == lt::Result::NotSupported ||
      (result == lt::Result::Success &&
       (found < 1 || algorithm.state != lt::Result::Success)))
    return Status(Code::Unsupported,
                  concat(cublasLtName(api), " has no algorithm for it"));
  if (algorithm.workspaceBytes > LibraryProducts::maxWorkspaceBytes)
    return Status(Code::Unsupported,
                  concat(cublasLtName(api), " wants a workspace of ",
                         formatBytes(algorithm.workspaceBytes)));
  return check(result, "cublasLtMatmulAlgoGetHeuristic");
}

Status LibraryProduct::create(lt::Handle handle,
                              const ProductAlignments &alignments) {
  if (Status status = createDesc(alignments); !status.isOk())
    return status;
  if (Status status = createLayouts(); !status.isOk())
    return status;
  return findAlgorithm(handle, alignments);
}

Status LibraryProduct::enqueue(lt::Handle handle, const void *a, const void *b,
                               const void *bias, void *result, void *workspace,
                               StreamHandle stream) {
  constexpr float one = 1, zero = 0;
  std::unique_lock lock(mutex, std::defer_lock);
  if (bias) {
    lock.lock();
    if (Status status = check(
            api.matmulDescSetAttribute(desc, lt::DescAttribute::BiasPointer,
                                       &bias, sizeof(bias)),
            "cublasLtMatmulDescSetAttribute", Code::LaunchFailed);
        !status.isOk())
      return status;
  }
  return check(api.matmul(handle, desc, &one, b, layoutA, a, layoutB, &zero,
                          result, layoutResult, result, layoutResult,
                          &algorithm.algorithm, workspace, workspaceBytes(),
                          stream),
               "cublasLtMatmul", Code::LaunchFailed);
}

//===-- all products ------------------------------------------------------===//

/// What is known of the address of a buffer: constants lie at multiples of 64
/// in memory that is aligned to 256, all others are.
static uint32_t alignmentOf(const Buffer &buffer) {
  uint64_t alignment = 256;
  if (buffer.kind == BufferKind::Constant)
    while (buffer.offset % alignment != 0)
      alignment /= 2;
  return static_cast<uint32_t>(alignment);
}

std::vector<ProductAlignments> LibraryProducts::alignments() const {
  std::vector<ProductAlignments> all(program.products.size());
  for (const Launch &launch : program.launches) {
    if (launch.product == noIndex)
      continue;
    const MatrixProduct &product = program.products[launch.product];
    ProductAlignments &known = all[launch.product];
    for (auto [position, alignment] :
         {std::pair(product.a, &known.a), std::pair(product.b, &known.b),
          std::pair(product.result, &known.result),
          std::pair(product.bias, &known.bias)})
      if (position != noIndex)
        *alignment =
            std::min(*alignment,
                     alignmentOf(program.buffers[launch.args[position].index]));
  }
  return all;
}

LibraryProducts::LibraryProducts(const CublasLtApi *api, std::string missing,
                                 const Program &program)
    : api(api), program(program), library{api},
      entries(program.products.size()) {
  if (api)
    if (lt::Result result = api->create(&library.handle);
        result != lt::Result::Success) {
      library.handle = nullptr;
      missing = concat(cublasLtName(*api), ": cublasLtCreate failed (",
                       static_cast<int32_t>(result), ")");
    }
  std::vector<ProductAlignments> known = alignments();
  for (TableIndex i = 0; i < entries.size(); ++i)
    if (library.handle)
      make(i, known[i]);
    else
      entries[i].why = missing;
}

void LibraryProducts::abandon() noexcept {
  for (Entry &entry : entries)
    if (entry.ready)
      entry.ready->abandon();
  library.handle = nullptr;
}

void LibraryProducts::make(TableIndex number,
                           const ProductAlignments &alignments) {
  auto made = std::make_unique<LibraryProduct>(*api, program.products[number]);
  if (Status status = made->create(library.handle, alignments);
      !status.isOk()) {
    entries[number].why = status.message();
    return;
  }
  workspace = std::max(workspace, made->workspaceBytes());
  entries[number].ready = std::move(made);
}

LibraryProduct *LibraryProducts::of(TableIndex launch) const {
  TableIndex product = program.launches[launch].product;
  if (product == noIndex)
    return nullptr;
  std::lock_guard lock(mutex);
  const Entry &entry = entries[product];
  return entry.why.empty() ? entry.ready.get() : nullptr;
}

void LibraryProducts::refuse(TableIndex launch, std::string why) {
  std::lock_guard lock(mutex);
  entries[program.launches[launch].product].why = std::move(why);
}

std::string LibraryProducts::describe(TableIndex launch) const {
  std::lock_guard lock(mutex);
  const Entry &entry = entries[program.launches[launch].product];
  return entry.why.empty() ? cublasLtName(*api)
                           : concat("own kernel: ", entry.why);
}
