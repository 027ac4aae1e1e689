//===- ChooseVersions.cpp - Kernels for few and for many rows -------------===//
//
// A contraction of 1 to 4096 rows -> one kernel for up to 8 of them, which
// streams the matrix, one for up to 32, with swapAB, and two for more. A call
// launches all; the grids of those that the rows are not for are empty.
//
//===----------------------------------------------------------------------===//

#include "Schedules.h"

#include "Codegen/Emit/KernelSizes.h"

#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

namespace {
/// The rows of all contractions of a kernel.
struct Rows {
  AffineExpr size;
  kernel::SizeRange range;

  static std::optional<Rows> of(kernel::FuncOp kernel);
};

/// Rows that one schedule is for, and what the remark says of it.
struct Version {
  int64_t least, most;
  Attribute schedule;
  std::string reported;
};
} // namespace

std::optional<Rows> Rows::of(kernel::FuncOp kernel) {
  std::optional<Rows> rows;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    if (op.getNumReductionLoops() == 0)
      continue;
    auto dims = linalg::inferContractionDims(op);
    if (failed(dims) || dims->m.empty())
      return std::nullopt;
    SmallVector<unsigned> loops(dims->m.begin(), dims->m.end());
    AffineExpr size = extentExpr(op, loops);
    if (!size || isa<AffineConstantExpr>(size) || (rows && rows->size != size))
      return std::nullopt;
    if (!rows)
      rows = Rows{size, extentRange(op, loops, 1)};
  }
  return rows;
}

/// The forms for few rows end here: what streams the matrix, swapAB; and so do
/// small tiles, which few large ones would leave multiprocessors idle for.
static constexpr int64_t ends[] = {maxVectorRows, maxSwapABRows, 256};

static bool isSwapped(Attribute schedule) {
  auto wgmma = dyn_cast<kernel::WgmmaScheduleAttr>(schedule);
  return wgmma && wgmma.getSwapAB();
}

static void setGuard(kernel::FuncOp kernel, const Rows &rows,
                     const Version &version) {
  unsigned symbols = llvm::count_if(kernel.getFunctionType().getInputs(),
                                    llvm::IsaPred<IndexType>);
  kernel.setGuardAttr(kernel::GuardAttr::get(
      kernel.getContext(), AffineMap::get(0, symbols, rows.size), version.least,
      version.most));
}

/// Those that differ.
static FailureOr<SmallVector<Version>>
findVersions(kernel::FuncOp kernel, const Rows &rows, const CudaChip &chip,
             const ScheduleRequests &requests) {
  SmallVector<Version> versions;
  int64_t least = std::max<int64_t>(1, rows.range.values.lo);
  int64_t last = rows.range.values.hi;
  SmallVector<int64_t> cuts;
  for (int64_t end : ends)
    if (least <= end && end < last)
      cuts.push_back(end);
  cuts.push_back(last);
  for (int64_t most : cuts) {
    Version version{least, most, {}, {}};
    setGuard(kernel, rows, version);
    LogicalResult result =
        trySchedule(kernel, chip, requests, version.reported);
    version.schedule = kernel.getScheduleAttr();
    kernel.removeScheduleAttr();
    kernel.removeGuardAttr();
    if (failed(result))
      return failure();
    least = most + 1;
    // Reading the matrix takes the time of few rows: their number does not.
    bool isFew = most <= maxSwapABRows && isSwapped(version.schedule);
    if (!versions.empty() && (versions.back().schedule == version.schedule ||
                              (isFew && isSwapped(versions.back().schedule)))) {
      version.least = versions.back().least;
      versions.pop_back();
    }
    versions.push_back(std::move(version));
  }
  return versions;
}

static void take(kernel::FuncOp kernel, const Rows &rows,
                 const Version &version) {
  setGuard(kernel, rows, version);
  kernel.setScheduleAttr(version.schedule);
  auto options = remark::RemarkOpts::name("version").category("gemm").function(
      kernel.getSymName());
  if (auto remark = remark::passed(placeOf(kernel.getLoc()), options))
    remark << remark::add("{0}", "for " + std::to_string(version.least) +
                                     " to " + std::to_string(version.most) +
                                     " rows: " +
                                     (version.reported.empty()
                                          ? "streams the matrix, or CUDA cores"
                                          : version.reported));
}

LogicalResult codegen::chooseVersions(kernel::FuncOp kernel,
                                      const CudaChip &chip,
                                      const ScheduleRequests &requests,
                                      SymbolTable &symbols) {
  std::optional<Rows> rows;
  if (kernel.getRoot() == kernel::FusionRoot::Gemm && !kernel.getSchedule() &&
      !kernel.getGuard() && !kernel.getVersions() && kernel.getSizes() &&
      !requests.gemmTile)
    rows = Rows::of(kernel);
  // One number of rows needs no guard, and of none nothing is launched.
  if (!rows ||
      rows->range.values.hi <= std::max<int64_t>(1, rows->range.values.lo))
    return chooseSchedule(kernel, chip, requests);
  FailureOr<SmallVector<Version>> versions =
      findVersions(kernel, *rows, chip, requests);
  if (failed(versions))
    return failure();
  if (versions->size() == 1)
    return chooseSchedule(kernel, chip, requests);
  // The kernel itself is for the rows that are expected.
  Version *own = llvm::find_if(*versions, [&](const Version &version) {
    return rows->range.opt <= version.most;
  });
  if (own == versions->end())
    own = &versions->back();
  OpBuilder b(kernel->getContext());
  b.setInsertionPointAfter(kernel);
  SmallVector<Attribute> names;
  for (Version &version : *versions) {
    if (&version == own)
      continue;
    kernel::FuncOp other = kernel.clone();
    other.setSymName((kernel.getSymName() + "_" +
                      std::to_string(version.least) + "_to_" +
                      std::to_string(version.most))
                         .str());
    names.push_back(FlatSymbolRefAttr::get(
        symbols.insert(other, std::next(kernel->getIterator()))));
    take(other, *rows, version);
  }
  take(kernel, *rows, *own);
  kernel.setVersionsAttr(b.getArrayAttr(names));
  return success();
}
