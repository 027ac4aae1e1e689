//===- LibraryCandidates.cpp - Contractions that a library may compute ----===//
//
// cuBLASLt may compute a kernel that is one product of matrices and nothing
// else, with the rounding that the program means: sums in f32, and perhaps a
// bias that is added before the result is rounded once. The kernel is emitted
// in any case, because only loading the program tells whether the library is
// installed.
//
//===----------------------------------------------------------------------===//

#include "Codegen/CUDA/Contractions/Gemv.h"
#include "Codegen/CUDA/Contractions/WgmmaGemm.h"

#include "Codegen/Emit/ContractionSpace.h"
#include "tripy/Codegen/Passes.h"
#include "tripy/Codegen/Tuning.h"
#include "tripy/Dialect/Tripy/Provenance.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <limits>

namespace tripy {
#define GEN_PASS_DEF_LIBRARYCANDIDATESPASS
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

//===-- what a kernel computes --------------------------------------------===//

namespace {

/// Reads a kernel as one product of matrices; says why it is none.
class ProductReader {
public:
  explicit ProductReader(kernel::FuncOp kernel) : kernel(kernel) {}
  kernel::ProductAttr read();
  /// Why read() returned nothing.
  StringRef reason() const { return why; }
  /// Of the product: element types.
  Type operandType() { return elementTypeOf(op.getInputs()[0]); }
  Type resultType() {
    return cast<RankedTensorType>(kernel.getFunctionType().getResult(0))
        .getElementType();
  }

private:
  kernel::ProductAttr decline(StringRef reason) {
    why = reason;
    return {};
  }
  static Type elementTypeOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getElementType();
  }
  /// The number of `value` among the kernel's tensor arguments; -1: it is none.
  int64_t argumentNumber(Value value);
  bool findContraction();
  bool haveTypes();
  bool startsAtZero();
  /// Whether an operand is [batch, outer, k]; else it is [batch, k, outer].
  /// Nothing for one that is neither.
  std::optional<bool> endsWithK(unsigned operand, ArrayRef<unsigned> outer);
  bool readEpilogue();
  int64_t biasOf(Value value);
  int64_t extent(ArrayRef<unsigned> loops);

  kernel::FuncOp kernel;
  linalg::GenericOp op;
  linalg::ContractionDimensions dims;
  int64_t bias = -1;
  StringRef why;
};

} // namespace

int64_t ProductReader::argumentNumber(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return -1;
  return llvm::count_if(
      kernel.getBody().getArguments().take_front(argument.getArgNumber()),
      [](BlockArgument other) {
        return isa<RankedTensorType>(other.getType());
      });
}

bool ProductReader::findContraction() {
  for (auto generic : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    if (generic.getNumReductionLoops() == 0)
      continue;
    if (op)
      return false;
    op = generic;
  }
  return op && op.getNumDpsInputs() == 2 &&
         linalg::isaContractionOpInterface(op);
}

/// The types that Program.h lists.
bool ProductReader::haveTypes() {
  Type operand = operandType(), result = resultType();
  if (operand != elementTypeOf(op.getInputs()[1]) ||
      !elementTypeOf(op.getResult(0)).isF32())
    return false;
  if (operand.isF32())
    return result.isF32();
  if (operand.isF16() || operand.isBF16())
    return result == operand || result.isF32();
  return isa<Float8E4M3FNType>(operand) &&
         (result.isF16() || result.isBF16() || result.isF32());
}

bool ProductReader::startsAtZero() {
  auto fill = op.getOutputs()[0].getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

std::optional<bool> ProductReader::endsWithK(unsigned operand,
                                             ArrayRef<unsigned> outer) {
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(operand));
  auto is = [&](ArrayRef<unsigned> second, ArrayRef<unsigned> third) {
    SmallVector<unsigned> order(ArrayRef<unsigned>(dims.batch));
    llvm::append_range(order, second);
    llvm::append_range(order, third);
    return map == AffineMap::getMultiDimMapWithTargets(map.getNumDims(), order,
                                                       map.getContext());
  };
  if (is(outer, dims.k))
    return true;
  if (is(dims.k, outer))
    return false;
  return std::nullopt;
}

int64_t ProductReader::extent(ArrayRef<unsigned> loops) {
  return staticExtent(op, loops, /*unknown=*/0);
}

/// The operation of an element-wise `op` on what it reads, when it has one only
/// and reads and writes elements of one position.
static Operation *singleOperation(linalg::GenericOp op) {
  Block &body = op.getRegion().front();
  bool isPointwise =
      op.getNumReductionLoops() == 0 && op.getNumResults() == 1 &&
      llvm::all_of(op.getIndexingMapsArray(),
                   [](AffineMap map) { return map.isIdentity(); });
  if (!isPointwise || !llvm::hasNItems(body, 2))
    return nullptr;
  Operation *first = &body.front();
  return body.getTerminator()->getOperands() == first->getResults() ? first
                                                                    : nullptr;
}

/// The number of the argument that `value` repeats in every row of the result;
/// -1: none.
int64_t ProductReader::biasOf(Value value) {
  auto broadcast = value.getDefiningOp<linalg::GenericOp>();
  if (!broadcast || broadcast.getNumDpsInputs() != 1 ||
      broadcast.getNumReductionLoops() != 0 ||
      !llvm::hasSingleElement(broadcast.getRegion().front()) ||
      broadcast.getRegion().front().getTerminator()->getOperand(0) !=
          broadcast.getRegion().front().getArgument(0))
    return -1;
  AffineMap from = broadcast.getIndexingMapsArray()[0];
  unsigned rank = from.getNumDims(), columns = dims.n.size();
  auto last = AffineMap::getFilteredIdentityMap(
      from.getContext(), rank,
      [&](AffineDimExpr dim) { return dim.getPosition() >= rank - columns; });
  if (from != last || !broadcast.getIndexingMapsArray()[1].isIdentity())
    return -1;
  return argumentNumber(broadcast.getInputs()[0]);
}

/// Follows the sums to the kernel's result.
bool ProductReader::readEpilogue() {
  Value value = op.getResult(0);
  Value yielded = kernel.getBody().front().getTerminator()->getOperand(0);
  while (value != yielded) {
    auto next = value.hasOneUse()
                    ? dyn_cast<linalg::GenericOp>(*value.getUsers().begin())
                    : linalg::GenericOp();
    Operation *does = next ? singleOperation(next) : nullptr;
    if (isa_and_nonnull<arith::AddFOp>(does) && bias < 0 &&
        elementTypeOf(value).isF32()) {
      bool first = next.getInputs()[0] == value;
      bias = biasOf(next.getInputs()[first ? 1 : 0]);
      if (bias < 0)
        return false;
    } else if (!isa_and_nonnull<arith::TruncFOp>(does) || bias >= 0) {
      // The library's bias has the result's type, which is f32 then.
      return false;
    }
    value = next.getResult(0);
  }
  return true;
}

kernel::ProductAttr ProductReader::read() {
  FunctionType type = kernel.getFunctionType();
  if (llvm::any_of(type.getInputs(), [](Type t) { return t.isIndex(); }))
    return decline("dynamic sizes");
  if (!findContraction())
    return decline("more than one contraction, or none with two operands");
  if (type.getNumResults() != 1)
    return decline("several results");
  if (!haveTypes() || !startsAtZero())
    return decline("types that the library does not support");
  int64_t a = argumentNumber(op.getInputs()[0]);
  int64_t b = argumentNumber(op.getInputs()[1]);
  if (a < 0 || b < 0)
    return decline("an operand that is not a whole tensor in memory");
  auto found = linalg::inferContractionDims(op);
  if (failed(found))
    return decline("no matrix product");
  dims = *found;
  SmallVector<unsigned> rows(ArrayRef<unsigned>(dims.batch));
  llvm::append_range(rows, dims.m);
  llvm::append_range(rows, dims.n);
  AffineMap result = op.getIndexingMapsArray().back();
  std::optional<bool> rowsOfA = endsWithK(0, dims.m);
  std::optional<bool> columnsOfB = endsWithK(1, dims.n);
  if (!rowsOfA || !columnsOfB ||
      result != AffineMap::getMultiDimMapWithTargets(result.getNumDims(), rows,
                                                     result.getContext()))
    return decline("dimensions in an order that no matrix layout has");
  if (!readEpilogue())
    return decline(
        "an epilogue other than a bias of f32, the only one that the "
        "library computes with the same roundings");
  auto [batch, m, n, k] = std::array{extent(dims.batch), extent(dims.m),
                                     extent(dims.n), extent(dims.k)};
  for (int64_t size : {batch, m, n, k})
    if (size < 1 || size > INT32_MAX)
      return decline("sizes of 0, or of 2^31 and more");
  return kernel::ProductAttr::get(kernel.getContext(), a, b, bias, !*rowsOfA,
                                  *columnsOfB, op->hasAttr(allowTF32AttrName),
                                  batch, m, n, k);
}

//===-- costs -------------------------------------------------------------===//

/// The library is taken when the model predicts at most this share of the own
/// kernel's time for it. The margin is wide because the library's code is not
/// known. On an H200 no product of bench/cases.py is so much faster with the
/// library's first algorithm, and the model agrees
/// (bench/results/notes-gemm.md).
static constexpr double libraryGain = 0.9;

namespace {
/// A product as the model of costs sees it.
struct Problem {
  kernel::ProductAttr product;
  int64_t elementBytes;
  const CudaChip &chip;

  bool onTensorCores() const {
    return elementBytes < 4 || product.getAllowTF32();
  }
  double results() const {
    return double(product.getBatch()) * product.getM() * product.getN();
  }
  /// Multiply-adds of a multiprocessor in a cycle.
  double rate(bool wgmma) const {
    if (!onTensorCores())
      return double(chip.peakFMA);
    int64_t products = wgmma ? chip.peakProducts : chip.products;
    return double(products) * 2 / double(elementBytes);
  }
  /// Cycles to read the operands once.
  double floor() const {
    double elements = double(product.getM()) * product.getK() +
                      double(product.getN()) * product.getK();
    return product.getBatch() * elements * elementBytes / chip.memoryBytes;
  }
};
} // namespace

/// Cycles in tiles of the usual sizes, the best of them: waves of blocks whose
/// main loop reaches the share `reached` of `rate`, and whose epilogue is not
/// hidden. With `maySplit`, K is split where that pays.
static double tiledCycles(const Problem &of, double rate, double reached,
                          bool maySplit) {
  static constexpr std::pair<int64_t, int64_t> tiles[] = {
      {256, 128}, {128, 128}, {128, 64}, {64, 128}, {64, 64}};
  kernel::ProductAttr product = of.product;
  double best = std::numeric_limits<double>::infinity();
  for (auto [m, n] : tiles)
    for (int64_t split : {1, 2, 4, 8}) {
      if (split > 1 && !maySplit)
        break;
      int64_t blocks = llvm::divideCeil(product.getM(), m) *
                       llvm::divideCeil(product.getN(), n) *
                       product.getBatch() * split;
      double waves = double(llvm::divideCeil(blocks, of.chip.multiprocessors));
      double k = double(product.getK()) / double(split);
      double mainLoop = std::max(
          {double(m * n) * k / (rate * reached),
           double(m + n) * k * double(of.elementBytes) / of.chip.libraryL2Bytes,
           of.floor() / waves});
      double cycles =
          waves * (mainLoop + double(m * n) / of.chip.libraryStoredElements);
      // The parts are written, read and added by another kernel.
      if (split > 1)
        cycles += of.chip.libraryLaunchCycles +
                  of.results() * 8 * double(split) / of.chip.memoryBytes;
      best = std::min(best, cycles);
    }
  return best;
}

/// Cycles of the program's kernel.
static double ownCycles(kernel::FuncOp kernel, const Problem &of) {
  if (of.chip.hasWgmma())
    if (std::optional<WgmmaSchedule> schedule = recogniseWgmma(kernel))
      if (std::optional<WgmmaCandidate> chosen = chooseTile(*schedule))
        return chosen->cycles;
  // Exact f32 is level with the library; mma.sync was not compared.
  double reached =
      of.onTensorCores() ? of.chip.ownMmaReached : of.chip.libraryReached;
  return tiledCycles(of, of.rate(/*wgmma=*/false), reached, /*maySplit=*/false);
}

/// Share of the peak that own kernels reach, which limits the library as well.
static double reachedOnTensorCores(kernel::FuncOp kernel, const Problem &of) {
  std::optional<WgmmaSchedule> schedule = recogniseWgmma(kernel);
  return schedule ? reachedShare(*schedule) : of.chip.wgmmaReached;
}

static double libraryCycles(kernel::FuncOp kernel, const Problem &of) {
  kernel::ProductAttr product = of.product;
  auto isAligned = [&](int64_t row) { return row * of.elementBytes % 16 == 0; };
  int64_t m = product.getM(), n = product.getN(), k = product.getK();
  bool aligned = isAligned(product.getTransposedA() ? m : k) &&
                 isAligned(product.getTransposedB() ? k : n);
  bool wgmma = of.chip.hasWgmma() && of.onTensorCores();
  double reached =
      of.chip.libraryReached * (wgmma ? reachedOnTensorCores(kernel, of) : 1);
  return tiledCycles(of, of.rate(wgmma), reached, /*maySplit=*/true) *
             (aligned ? 1 : of.chip.libraryUnaligned) +
         of.chip.libraryLaunchCycles;
}

//===-- text --------------------------------------------------------------===//

/// Sizes and layouts, as tuning files have them.
static std::string describe(kernel::ProductAttr product) {
  return llvm::formatv("{0}x{1}x{2} {3}{4} batch={5}", product.getM(),
                       product.getN(), product.getK(),
                       product.getTransposedA() ? 't' : 'n',
                       product.getTransposedB() ? 't' : 'n', product.getBatch())
      .str();
}

std::optional<std::string> codegen::describeProduct(kernel::FuncOp kernel) {
  if (kernel.getRoot() != kernel::FusionRoot::Gemm)
    return std::nullopt;
  ProductReader reader(kernel);
  kernel::ProductAttr product = reader.read();
  if (!product)
    return std::nullopt;
  std::string text = "product ";
  llvm::raw_string_ostream stream(text);
  if (product.getAllowTF32())
    stream << "tf32";
  else
    stream << reader.operandType();
  stream << " " << describe(product) << " result=" << reader.resultType()
         << " bias=" << (product.getBias() >= 0);
  return text;
}

//===-- the pass ----------------------------------------------------------===//

static void report(kernel::FuncOp kernel, bool taken, const Twine &text) {
  auto options = remark::RemarkOpts::name(taken ? "candidate" : "declined")
                     .category("libraries")
                     .function(kernel.getSymName());
  Location place = placeOf(kernel.getLoc());
  auto remark =
      taken ? remark::passed(place, options) : remark::missed(place, options);
  if (remark)
    remark << remark::add("{0}", text.str());
}

namespace {
struct LibraryCandidatesPass
    : tripy::impl::LibraryCandidatesPassBase<LibraryCandidatesPass> {
  using LibraryCandidatesPassBase::LibraryCandidatesPassBase;

  void runOnOperation() override {
    // What is wrong with the file is said where the tiles are read.
    if (!tuningFile.empty())
      if (Result<TuningRecords> found = readTuningFile(tuningFile))
        tuning = std::move(*found);
    for (auto kernel : getOperation().getOps<kernel::FuncOp>())
      if (kernel.getRoot() == kernel::FusionRoot::Gemm)
        consider(kernel);
  }

  void consider(kernel::FuncOp kernel);
  /// Whether the library is expected to be faster; appends why to `text`.
  bool prefersLibrary(kernel::FuncOp kernel, const Problem &problem,
                      std::string &text);

  TuningRecords tuning;
};
} // namespace

bool LibraryCandidatesPass::prefersLibrary(kernel::FuncOp kernel,
                                           const Problem &problem,
                                           std::string &text) {
  if (const TuningRecord *record =
          findTuning(tuning, chip, tuningDevice, *describeProduct(kernel))) {
    text += llvm::formatv("; measured on {0}: {1} is the fastest, {2:F1} us",
                          record->device, record->tile, record->microseconds)
                .str();
    return record->tile == libraryBackend;
  }
  if (scheduleGemv(kernel, problem.chip)) {
    text += "; with few rows the own kernel reads the matrix as fast as memory "
            "delivers it";
    return false;
  }
  double own = ownCycles(kernel, problem), its = libraryCycles(kernel, problem);
  text += llvm::formatv("; {0:F0} cycles by the model, {1:F0} of the own "
                        "kernel",
                        its, own)
              .str();
  return its <= libraryGain * own;
}

void LibraryCandidatesPass::consider(kernel::FuncOp kernel) {
  ProductReader reader(kernel);
  kernel::ProductAttr product = reader.read();
  if (!product)
    return report(kernel, false,
                  "cuBLASLt is no candidate: the kernel has " +
                      reader.reason());
  std::string text = "cuBLASLt is a candidate for " + describe(product);
  Problem problem{product, reader.operandType().getIntOrFloatBitWidth() / 8,
                  CudaChip::of(chip)};
  if (!always && !prefersLibrary(kernel, problem, text))
    return report(kernel, false, text + "; declined");
  report(kernel, true, text + "; taken where the library is there");
  kernel.setProductAttr(product);
}
