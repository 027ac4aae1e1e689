//===- ChooseVersions.cpp - Kernels for few and for many rows -------------===//
//
// A contraction of 1 to 4096 rows -> kernels for up to 2, 4 and 8 of them,
// which stream the matrix, one for up to 32, with swapAB, and some for more, as
// the model of costs says. A call launches all; the grids of those that the
// rows are not for are empty.
//
//===----------------------------------------------------------------------===//

#include "ScheduleModel.h"
#include "Schedules.h"
#include "Versions.h"

#include "Codegen/Emit/KernelSizes.h"

#include "tripy/Codegen/Passes.h"

#include <numeric>

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

/// Rows beyond which nothing changes any more.
constexpr int64_t largestEnd = 1 << 16;

/// Rows from which on there are often more tiles than multiprocessors.
constexpr int64_t severalWaves = 512;

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

/// Whether a schedule swaps A and B for few rows, of which a tile has at least
/// `rows`.
static bool hasFewRows(Attribute schedule, int64_t rows) {
  auto wgmma = dyn_cast<kernel::WgmmaScheduleAttr>(schedule);
  return wgmma && wgmma.getSwapAB() && wgmma.getTile()[0] >= rows &&
         wgmma.getTile()[0] <= maxSwapABRows;
}

/// Calls `use` while the kernel is for `least` to `most` rows.
template <typename Use>
static auto within(kernel::FuncOp kernel, const Rows &rows, int64_t least,
                   int64_t most, Use use) {
  setGuard(kernel, rows.size, {least, most});
  auto result = use();
  kernel.removeGuardAttr();
  return result;
}

/// Where ranges may end: those of the forms for few rows, which stream the
/// matrix or swap A and B; then each power of two, the middle of two, and where
/// tiles may be in several waves the middles of those; and the rows that are
/// expected, whose schedule may need a wave more beyond them. What streams the
/// matrix multiplies as many rows as there may be: with 8 of them, 2 take 1.7
/// times as long as in a kernel for 2.
static SmallVector<int64_t> endsOf(const Rows &rows) {
  int64_t least = std::max<int64_t>(1, rows.range.values.lo);
  int64_t last = rows.range.values.hi;
  SmallVector<int64_t> ends = {2, 4, maxVectorRows, 2 * maxVectorRows};
  // More rows than those that are expected may need another tile.
  if (rows.range.opt > maxVectorRows)
    ends.push_back(llvm::alignTo(rows.range.opt, 8));
  for (int64_t end = maxSwapABRows; end <= largestEnd; end *= 2) {
    ends.append({end, end + end / 2});
    if (end >= severalWaves)
      ends.append({end + end / 4, end + end / 4 * 3});
  }
  llvm::sort(ends);
  llvm::erase_if(ends, [&](int64_t end) { return end < least || end >= last; });
  ends.push_back(last);
  ends.erase(llvm::unique(ends), ends.end());
  return ends;
}

namespace {
/// A range of rows between two ends, and the schedule that is best for it.
struct Step {
  Version version;
  /// How much longer each step's schedule takes here, at most; 1 for this
  /// step's own. Nothing where there is no model of one of the two.
  SmallVector<std::optional<double>> ratios;
  /// Whether each step's schedule leaves multiprocessors room, at the rows of
  /// samples().
  SmallVector<std::array<bool, 3>> leaveRoom;
  /// The rows that are expected are among these: no other schedule is taken.
  bool isExpected = false;

  /// Reading the matrix takes the time of few rows: their number does not. The
  /// model knows nothing of forms that are for few rows only.
  bool isFew() const { return version.most <= maxSwapABRows; }
  /// Rows that schedules are compared at.
  std::array<int64_t, 3> samples() const {
    return {version.least, std::midpoint(version.least, version.most),
            version.most};
  }
};

/// Finds few ranges of rows, each with a schedule that is nearly as fast as the
/// best for all numbers of rows in it.
class Ranges {
public:
  Ranges(kernel::FuncOp kernel, const Rows &rows, const CudaChip &chip,
         const ScheduleRequests &requests)
      : kernel(kernel), rows(rows), chip(chip), requests(requests) {}

  LogicalResult findSteps();
  /// Steps joined where a schedule takes up to `tolerance` times the best.
  SmallVector<Version> join(double tolerance);

private:
  LogicalResult choose(Version &version, int64_t least, int64_t most);
  LogicalResult chooseAmongSamples(Step &step);
  void compare(Step &step);
  bool isOfOneKind(size_t step, size_t first, size_t count);
  bool suits(size_t step, size_t first, size_t count, double tolerance);
  double worst(size_t step, size_t first, size_t count);
  std::optional<Version> joined(size_t first, size_t count, double tolerance);

  kernel::FuncOp kernel;
  const Rows &rows;
  const CudaChip &chip;
  const ScheduleRequests &requests;
  SmallVector<Step, 0> steps;
};
} // namespace

/// The schedule that the kernel has for `least` to `most` rows.
LogicalResult Ranges::choose(Version &version, int64_t least, int64_t most) {
  return within(kernel, rows, least, most, [&] {
    LogicalResult chosen =
        trySchedule(kernel, chip, requests, version.reported);
    version.schedule = kernel.getScheduleAttr();
    kernel.removeScheduleAttr();
    return chosen;
  });
}

/// A schedule for the middle of a step may be a bad one for its first rows, as
/// where they are a wave of blocks less. Of those that the model picks for the
/// first, middle and last rows, takes the one that is never much slower than
/// the others.
LogicalResult Ranges::chooseAmongSamples(Step &step) {
  if (!step.version.schedule)
    return success();
  SmallVector<Version> candidates = {step.version};
  for (int64_t at : step.samples()) {
    Version &made = candidates.emplace_back(
        Version{step.version.least, step.version.most, {}, {}});
    if (failed(choose(made, at, at)))
      return failure();
  }
  // Models of one kind of schedule know little of another one.
  TypeID kind = step.version.schedule.getAbstractAttribute().getTypeID();
  within(kernel, rows, step.version.least, step.version.most, [&] {
    ScheduleModel model(kernel, chip);
    llvm::erase_if(candidates, [&](const Version &each) {
      return !each.schedule ||
             each.schedule.getAbstractAttribute().getTypeID() != kind ||
             !model.isLegal(each.schedule);
    });
    return true;
  });
  if (candidates.empty() ||
      candidates.front().schedule != step.version.schedule)
    return success();
  SmallVector<double> worst(candidates.size(), 1);
  for (int64_t at : step.samples()) {
    SmallVector<std::optional<double>> cycles;
    within(kernel, rows, at, at, [&] {
      ScheduleModel model(kernel, chip);
      for (const Version &each : candidates)
        cycles.push_back(model.cycles(each.schedule));
      return true;
    });
    if (cycles.empty() || !llvm::all_of(cycles, [](auto of) { return !!of; }))
      return success();
    double best = **llvm::min_element(cycles);
    for (auto [most, of] : llvm::zip_equal(worst, cycles))
      most = std::max(most, *of / best);
  }
  step.version = candidates[llvm::min_element(worst) - worst.begin()];
  return success();
}

LogicalResult Ranges::findSteps() {
  int64_t least = std::max<int64_t>(1, rows.range.values.lo);
  for (int64_t most : endsOf(rows)) {
    Step &step = steps.emplace_back(Step{{least, most, {}, {}}, {}});
    step.isExpected = least <= rows.range.opt && rows.range.opt <= most;
    if (failed(choose(step.version, least, most)))
      return failure();
    // Few rows take as long whatever their number, and the rows that are
    // expected have the schedule of a static program.
    if (!step.isFew() && !step.isExpected && failed(chooseAmongSamples(step)))
      return failure();
    least = most + 1;
  }
  for (Step &step : steps)
    compare(step);
  return success();
}

/// Whether the schedule of a step leaves multiprocessors room in all of `count`
/// steps from `first` on, or in none: kernels that leave room start alone. One
/// for 385 to 3584 rows of 640 x 5120 f32 did not, and took 1.28 times as long
/// for 530. A step in which that changes counts for nothing.
bool Ranges::isOfOneKind(size_t step, size_t first, size_t count) {
  std::array<bool, 2> found = {false, false};
  for (const Step &of : ArrayRef(steps).slice(first, count))
    if (const auto &room = of.leaveRoom[step]; room.front() == room.back())
      found[room.front()] = true;
  return !found[0] || !found[1];
}

/// Compares all schedules at the rows of `step.samples()`, and finds which of
/// them leave room.
void Ranges::compare(Step &step) {
  Version &own = step.version;
  step.ratios.assign(steps.size(), 1.0);
  step.leaveRoom.resize(steps.size());
  for (auto [sample, at] : llvm::enumerate(step.samples()))
    within(kernel, rows, at, at, [&, sample = sample] {
      ScheduleModel model(kernel, chip);
      std::optional<double> best = model.cycles(own.schedule);
      for (auto [ratio, room, other] :
           llvm::zip_equal(step.ratios, step.leaveRoom, steps)) {
        room[sample] = model.leavesRoom(other.version.schedule);
        if (other.version.schedule == own.schedule)
          continue;
        std::optional<double> cycles = model.cycles(other.version.schedule);
        if (ratio && best && cycles)
          ratio = std::max(*ratio, *cycles / *best);
        else
          ratio.reset();
      }
      return true;
    });
}

/// Whether the schedule of a step is legal, and nearly as fast as the best, for
/// all of `count` steps from `first` on.
bool Ranges::suits(size_t step, size_t first, size_t count, double tolerance) {
  if (!isOfOneKind(step, first, count))
    return false;
  Attribute schedule = steps[step].version.schedule;
  bool isOfAll = true;
  for (const Step &of : ArrayRef(steps).slice(first, count)) {
    if (of.version.schedule == schedule)
      continue;
    isOfAll = false;
    bool isFaster = of.isFew() && !of.isExpected &&
                    hasFewRows(schedule, of.version.most) &&
                    hasFewRows(of.version.schedule, 1);
    std::optional<double> ratio = of.ratios[step];
    bool isNear = !of.isFew() && !of.isExpected && ratio && *ratio <= tolerance;
    if (!isFaster && !isNear)
      return false;
  }
  // What streams a matrix of few columns does so at each number of rows.
  if (isOfAll && isa<kernel::GemvScheduleAttr>(schedule))
    return steps[first].version.least > maxVectorRows;
  return within(kernel, rows, steps[first].version.least,
                steps[first + count - 1].version.most,
                [&] { return ScheduleModel(kernel, chip).isLegal(schedule); });
}

/// How much longer the schedule of a step takes in `count` steps from `first`
/// on, at most.
double Ranges::worst(size_t step, size_t first, size_t count) {
  double most = 1;
  for (const Step &of : ArrayRef(steps).slice(first, count))
    most = std::max(most, of.ratios[step].value_or(most));
  return most;
}

/// One version for `count` steps, with the schedule that suits them best, if
/// any does.
std::optional<Version> Ranges::joined(size_t first, size_t count,
                                      double tolerance) {
  std::optional<size_t> best;
  // The last of equal ones: of tiles for few rows, the one that has room.
  for (size_t step = first; step < first + count; ++step)
    if (suits(step, first, count, tolerance) &&
        (!best || worst(step, first, count) <= worst(*best, first, count)))
      best = step;
  if (!best)
    return std::nullopt;
  Version version = steps[*best].version;
  version.least = steps[first].version.least;
  version.most = steps[first + count - 1].version.most;
  return version;
}

SmallVector<Version> Ranges::join(double tolerance) {
  SmallVector<Version> versions;
  for (size_t first = 0, count = 1; first < steps.size(); first += count) {
    Version version = steps[first].version;
    for (count = 1; first + count < steps.size(); ++count) {
      std::optional<Version> longer = joined(first, count + 1, tolerance);
      if (!longer)
        break;
      version = *longer;
    }
    versions.push_back(version);
  }
  return versions;
}

/// As many as a kernel may have: each is compiled. What a schedule may take
/// more than the best one, first; then more, until they are few enough.
static constexpr size_t maxVersions = 12;
static constexpr double tolerances[] = {1.05, 1.1, 1.15, 1.2, 1.3,
                                        1.4,  1.6, 2.0,  3.0};

static FailureOr<SmallVector<Version>>
findVersions(kernel::FuncOp kernel, const Rows &rows, const CudaChip &chip,
             const ScheduleRequests &requests) {
  Ranges ranges(kernel, rows, chip, requests);
  if (failed(ranges.findSteps()))
    return failure();
  SmallVector<Version> versions;
  for (double tolerance : tolerances) {
    versions = ranges.join(tolerance);
    if (versions.size() <= maxVersions)
      break;
  }
  return versions;
}

/// Gives `kernel`, which is for a version's rows, its schedule.
static void take(kernel::FuncOp kernel, const Version &version) {
  kernel.setScheduleAttr(version.schedule);
  reportVersion(kernel, "gemm", "rows",
                version.reported.empty() ? "gemv, or CUDA cores"
                                         : version.reported);
}

LogicalResult codegen::chooseVersions(kernel::FuncOp kernel,
                                      const CudaChip &chip,
                                      const ScheduleRequests &requests,
                                      SymbolTable &symbols) {
  std::optional<Rows> rows;
  if (kernel.getRoot() == kernel::FusionRoot::Gemm && !kernel.getSchedule() &&
      mayHaveVersions(kernel) && !requests.gemmTile)
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
  auto ranges = llvm::map_to_vector(*versions, [](const Version &version) {
    return RowRange{version.least, version.most};
  });
  SmallVector<kernel::FuncOp> made =
      makeVersions(kernel, rows->size, ranges, rows->range.opt, symbols);
  for (auto [each, version] : llvm::zip_equal(made, *versions))
    take(each, version);
  return success();
}
