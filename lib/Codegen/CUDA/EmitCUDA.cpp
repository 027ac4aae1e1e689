//===- EmitCUDA.cpp - CUDA code of kernels --------------------------------===//
//
// kernel.func on linalg -> gpu.func over bare pointers and sizes.
//
//===----------------------------------------------------------------------===//

#include "EmitCUDA.h"
#include "Gemv.h"
#include "RadixTile.h"
#include "WgmmaGemm.h"

#include "tripy/Codegen/Passes.h"
#include "tripy/Codegen/PluginEmission.h"
#include "tripy/Codegen/Tuning.h"
#include "tripy/Dialect/Common/Barriers.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

namespace tripy {
#define GEN_PASS_DEF_EMITCUDAPASS
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

/// Threads of a block of element-wise kernels.
static constexpr int64_t loopThreads = 256;

int64_t codegen::vectorSizeOf(KernelEmission &e) {
  int64_t bytes = 16;
  auto visit = [&](Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      bytes = std::min<int64_t>(
          bytes, ElementEmitter::storageType(tensor.getElementType())
                         .getIntOrFloatBitWidth() /
                     8);
  };
  for (Type type : e.kernel.getFunctionType().getInputs())
    visit(type);
  for (Type type : e.kernel.getFunctionType().getResults())
    visit(type);
  return std::min<int64_t>(8, 16 / bytes);
}

/// Vectors of each thread in a kernel that gathers: it loads indices and then
/// the elements there, as an embedding does. The second load waits for the
/// first. With one vector each, the 2048 threads of a multiprocessor have some
/// 16 KB in flight on average, and half of the bandwidth needs 20 KB
/// (StagedRow.cpp has the figures). Two vectors are enough, and leave more
/// blocks to start while others end: 65536 rows of 2 KB take 62.0 us, and 63.4
/// us with four or eight.
static constexpr int64_t gatheredVectors = 2;
/// From this number of vectors on, a thread takes several: there are enough to
/// fill the GPU with threads several times.
static constexpr int64_t manyVectors = int64_t(4) * 132 * 2048;

/// Whether a body reads at indices that are elements of tensors.
static bool gathers(KernelEmission &e) {
  return e.kernel.getBody()
      .walk([](tensor::ExtractOp extract) {
        bool isData = llvm::any_of(extract.getIndices(), [](Value index) {
          return !index.getDefiningOp<linalg::IndexOp>() &&
                 !matchPattern(index, m_Constant());
        });
        return isData ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The `gatheredVectors` vectors of a thread: all are read before any is
/// written. Stores do not stay in the caches, which are for rows read again.
static void emitGatheringLoop(CUDAKernel &kernel, ArrayRef<Index> vectors,
                              int64_t vectorSize) {
  KernelEmission &e = kernel.e;
  IndexMath &math = e.math;
  int64_t count = *IndexMath::constantOf(math.product(vectors));
  int64_t perBlock = loopThreads * gatheredVectors;
  e.setConfig({e.constantExpr(llvm::divideCeil(count, perBlock))},
              {loopThreads, 1, 1}, 0);
  Index first = math.add(math.mul(kernel.blockId(), math.constant(perBlock)),
                         kernel.threadId());
  struct Piece {
    SmallVector<Index> at;
    Value inside;
    SmallVector<Elements> values;
  };
  SmallVector<Piece> pieces(gatheredVectors);
  for (auto [number, piece] : llvm::enumerate(pieces)) {
    Index id = math.add(first, math.constant(number * loopThreads));
    if (count % perBlock != 0) {
      piece.inside =
          kernel.compare(arith::CmpIPredicate::ult, id, math.constant(count));
      id = kernel.clampTo(piece.inside, id);
    }
    piece.at = math.delinearize(id, vectors);
    piece.at.back() = math.mul(piece.at.back(), math.constant(vectorSize));
  }
  for (Memory &result : e.results)
    result.access = Access::Streamed;
  kernel.await([&] {
    for (Piece &piece : pieces)
      kernel.loadFor(piece.at, vectorSize);
  });
  for (Piece &piece : pieces)
    for (Value result : e.yielded())
      piece.values.push_back(e.elements.emit(result, piece.at, vectorSize));
  for (Piece &piece : pieces) {
    auto store = [&] {
      for (auto [memory, values] : llvm::zip(e.results, piece.values))
        e.elements.store(memory, piece.at, values);
    };
    if (piece.inside)
      e.when(piece.inside, store);
    else
      store();
  }
}

/// Whether threads take runs of the results, which are the same for all.
static bool takesRuns(KernelEmission &e) {
  auto isLike = [&](const Memory &result) {
    return result.sizes == e.results.front().sizes && !result.packed;
  };
  return llvm::all_of(e.results, isLike) &&
         ElementEmitter::hasRuns(e.kernel.getBody().front());
}

namespace {
/// What the threads of an element-wise kernel take.
struct LoopShape {
  /// All elements in row-major order, as vectors that may go over the ends of
  /// rows; else vectors of the last dimension.
  bool flat = false;
  /// Such vectors have elements at computed indices.
  bool runs = false;
  bool even = false;
  int64_t vectorSize = 1;
  SmallVector<Index> sizes;
  SmallVector<AffineExpr> exprs;
};
} // namespace

static LoopShape shapeOf(KernelEmission &e) {
  IndexMath &math = e.math;
  SmallVector<Index> whole(e.results.front().sizes);
  LoopShape shape{
      .vectorSize = vectorSizeOf(e), .sizes = whole, .exprs = e.sizeExprs(0)};
  shape.flat = e.isPointwise() || whole.empty();
  std::optional<int64_t> inner =
      shape.flat ? std::nullopt : IndexMath::constantOf(whole.back());
  if (inner && *inner % shape.vectorSize != 0 && takesRuns(e)) {
    shape.flat = shape.runs = true;
    SmallVector<int64_t> known;
    for (Index size : whole)
      known.push_back(*IndexMath::constantOf(size));
    shape.vectorSize = ElementEmitter::runLength(e.kernel.getBody().front(),
                                                 known, shape.vectorSize);
  }
  if (shape.flat) {
    shape.sizes = {math.product(whole)};
    shape.exprs = {KernelEmission::product(shape.exprs, e.kernel.getContext())};
  }
  inner = IndexMath::constantOf(shape.sizes.back());
  shape.even = inner && *inner % shape.vectorSize == 0;
  if (!shape.flat && !shape.even)
    shape.vectorSize = 1;
  return shape;
}

/// Emits the run of all results from element `first` on, and stores it.
static void emitRuns(KernelEmission &e, Index first, int64_t count,
                     bool stores) {
  SmallVector<Elements> values;
  for (Value result : e.yielded())
    values.push_back(e.elements.emitRun(result, first, count));
  if (!stores)
    return;
  for (auto [memory, elements] : llvm::zip(e.results, values)) {
    Memory flat = memory;
    flat.sizes = {e.math.product(memory.sizes)};
    e.elements.store(flat, {first}, elements);
  }
}

/// One thread handles `vectorSize` neighbours; where they can't be cut evenly,
/// threads beyond the vectors take the rest one by one.
void codegen::emitCUDALoop(CUDAKernel &kernel) {
  KernelEmission &e = kernel.e;
  IndexMath &math = e.math;
  SmallVector<Index> whole(e.results.front().sizes);
  LoopShape shape = shapeOf(e);
  Index width = math.constant(shape.vectorSize);
  SmallVector<Index> vectors(shape.sizes);
  vectors.back() = math.div(shape.sizes.back(), width);
  std::optional<int64_t> known = IndexMath::constantOf(math.product(vectors));
  if (!shape.flat && known && *known >= manyVectors && gathers(e))
    return emitGatheringLoop(kernel, vectors, shape.vectorSize);
  AffineExpr rest = e.constantExpr(0);
  if (!shape.even)
    rest = shape.exprs.back() % shape.vectorSize;
  shape.exprs.back() = shape.exprs.back().floorDiv(shape.vectorSize);
  AffineExpr threads =
      KernelEmission::product(shape.exprs, e.kernel.getContext()) + rest;
  e.setConfig({threads.ceilDiv(loopThreads)}, {loopThreads, 1, 1}, 0);

  Index id = math.add(math.mul(kernel.blockId(), math.constant(loopThreads)),
                      kernel.threadId());
  Index count = math.product(vectors);
  Value isVector = kernel.compare(arith::CmpIPredicate::ult, id, count);
  auto emitVector = [&](bool stores) {
    SmallVector<Index> at = math.delinearize(id, vectors);
    at.back() = math.mul(at.back(), width);
    if (shape.runs)
      return emitRuns(e, at.back(), shape.vectorSize, stores);
    if (shape.flat)
      at = math.delinearize(at.back(), whole);
    if (stores)
      e.emitResults(at, shape.vectorSize);
    else
      kernel.loadFor(at, shape.vectorSize);
  };
  kernel.await([&] { e.when(isVector, [&] { emitVector(false); }); },
               math.product(whole));
  e.when(isVector, [&] { emitVector(true); });
  if (shape.even || shape.vectorSize == 1)
    return;
  // Only the flat form gets here.
  Index element = math.add(math.mul(count, width), math.sub(id, count));
  Value isRest = arith::AndIOp::create(
      e.b, e.loc, kernel.compare(arith::CmpIPredicate::uge, id, count),
      kernel.compare(arith::CmpIPredicate::ult, element, shape.sizes.back()));
  e.when(isRest, [&] { e.emitResults(math.delinearize(element, whole)); });
}

namespace {
struct EmitCUDAPass : tripy::impl::EmitCUDAPassBase<EmitCUDAPass> {
  using EmitCUDAPassBase::EmitCUDAPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<kernel::FuncOp> kernels(module.getOps<kernel::FuncOp>());
    if (kernels.empty())
      return;
    tile = parseWgmmaTile(gemmTile);
    if (!gemmTile.empty() && !tile) {
      emitError(module.getLoc(), "a tile must be such as 128x256 or 64x64 with "
                                 "',pingpong', ',cluster=2', ',split=2', "
                                 "',stream' or ',swapAB'; found '")
          << gemmTile << "'";
      return signalPassFailure();
    }
    Result<const Chip *> known = getChip(chip);
    if (!known) {
      emitError(module.getLoc(), known.status().message());
      return signalPassFailure();
    }
    readTuning(module);
    module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                    UnitAttr::get(&getContext()));
    OpBuilder b(module.getBody(), module.getBody()->end());
    auto target =
        NVVM::NVVMTargetAttr::get(&getContext(), /*O=*/3, "nvptx64-nvidia-cuda",
                                  chip, (**known).ptxFeature());
    auto device = gpu::GPUModuleOp::create(b, module.getLoc(), "device_code",
                                           b.getArrayAttr({target}));
    if (overlap && CudaChip::of(chip).hasClusters())
      findWrittenInputs(module);
    for (kernel::FuncOp kernel : kernels) {
      b.setInsertionPointToEnd(device.getBody());
      if (failed(emitKernel(kernel, device, b)))
        return signalPassFailure();
    }
    useBarrierIntrinsics(device);
  }

  void findWrittenInputs(ModuleOp module);
  void readTuning(ModuleOp module);
  void cut(kernel::FuncOp kernel, WgmmaSchedule &schedule);
  LogicalResult emitKernel(kernel::FuncOp kernel, gpu::GPUModuleOp device,
                           OpBuilder &b);

  std::optional<WgmmaTile> tile;
  TuningRecords tuning;
  /// The first kernel of each program that has several launches.
  llvm::StringSet<> firstKernels;
};
} // namespace

/// Measured tiles make kernels faster, never wrong: without them, the model
/// chooses.
void EmitCUDAPass::readTuning(ModuleOp module) {
  if (tuningFile.empty())
    return;
  if (Result<TuningRecords> found = readTuningFile(tuningFile))
    tuning = std::move(*found);
  else
    emitWarning(module.getLoc(), "the tuning file is not used: ")
        << found.status().message();
}

/// Cuts `schedule` into the tile that is asked for, or was measured to be the
/// fastest, or is so by the model.
void EmitCUDAPass::cut(kernel::FuncOp kernel, WgmmaSchedule &schedule) {
  auto report = [&](const WgmmaTile &tile, const Twine &why) {
    auto options = remark::RemarkOpts::name("tile").category("gemm").function(
        kernel.getSymName());
    if (auto remark = remark::passed(placeOf(kernel.getLoc()), options))
      remark << remark::add("{0}", ("tile " + tile.str() + ": " + why).str());
  };
  if (tile && cutInto(schedule, *tile))
    return report(*tile, "asked for");
  std::optional<std::string> contraction = describeContraction(schedule);
  const TuningRecord *record =
      contraction ? findTuning(tuning, chip, tuningDevice, *contraction)
                  : nullptr;
  if (record)
    if (WgmmaTile measured = *parseWgmmaTile(record->tile);
        cutInto(schedule, measured))
      return report(measured,
                    llvm::formatv("measured on {0}, {1:F1} us", record->device,
                                  record->microseconds)
                        .str());
  WgmmaCandidate chosen = *chooseTile(schedule);
  cutInto(schedule, chosen.tile);
  report(chosen.tile,
         llvm::formatv("by the model, {0:F0} cycles for {1}", chosen.cycles,
                       contraction.value_or("dynamic sizes"))
             .str());
}

/// Makes every kernel wait for those before it: sets `waitsFor` from the calls,
/// and notes which are the first of several.
void EmitCUDAPass::findWrittenInputs(ModuleOp module) {
  llvm::StringMap<SmallVector<bool>> written;
  for (auto kernel : module.getOps<kernel::FuncOp>())
    written[kernel.getSymName()].resize(llvm::count_if(
        kernel.getFunctionType().getInputs(), llvm::IsaPred<RankedTensorType>));
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isFirst = true;
    auto calls = llvm::to_vector(function.getOps<kernel::CallOp>());
    for (kernel::CallOp call : calls) {
      SmallVector<bool> &ofCallee = written[call.getCallee()];
      if (isFirst && calls.size() > 1)
        firstKernels.insert(call.getCallee());
      unsigned number = 0;
      for (Value input : call.getInputs())
        if (isa<RankedTensorType>(input.getType()))
          ofCallee[number++] |= kernel::mayBeWritten(input, isFirst);
      isFirst = false;
    }
  }
  for (auto kernel : module.getOps<kernel::FuncOp>())
    kernel.setWaitsFor(ArrayRef<bool>(written[kernel.getSymName()]));
}

/// A function for the kernel's code: pointers to its tensors, and sizes.
static gpu::GPUFuncOp createFunction(kernel::FuncOp kernel, unsigned pointers,
                                     unsigned sizes, OpBuilder &b) {
  SmallVector<Type> types(pointers,
                          LLVM::LLVMPointerType::get(b.getContext(), 1));
  types.append(sizes, b.getIndexType());
  auto func = gpu::GPUFuncOp::create(b, kernel.getLoc(), kernel.getSymName(),
                                     b.getFunctionType(types, {}));
  func->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  describePointers(kernel, func);
  b.setInsertionPointToStart(&func.getBody().front());
  auto end = gpu::ReturnOp::create(b, kernel.getLoc());
  b.setInsertionPoint(end);
  return func;
}

/// A sort of whole rows, or half of a pass of one.
static void emitCUDASortPart(CUDAKernel &state) {
  for (Operation &op : state.e.kernel.getBody().front()) {
    if (auto counts = dyn_cast<kernel::DigitCountsOp>(op))
      return emitCUDADigitCounts(state, counts);
    if (auto scatter = dyn_cast<kernel::DigitScatterOp>(op))
      return emitCUDADigitScatter(state, scatter);
  }
  emitCUDASort(state);
}

/// The code of a kernel, by what it is built around.
static LogicalResult emitBody(CUDAKernel &state, kernel::FusionRoot root,
                              const std::optional<GemvSchedule> &gemv) {
  switch (root) {
  case kernel::FusionRoot::Loop:
    if (!emitCUDATranspose(state))
      emitCUDALoop(state);
    return success();
  case kernel::FusionRoot::Row:
    emitCUDARow(state);
    return success();
  case kernel::FusionRoot::Reduce:
    emitCUDAReduce(state);
    return success();
  case kernel::FusionRoot::Scan:
    emitCUDAScan(state);
    return success();
  case kernel::FusionRoot::Attention:
    emitCUDAAttention(state);
    return success();
  case kernel::FusionRoot::Sort:
    emitCUDASortPart(state);
    return success();
  case kernel::FusionRoot::Gemm:
    if (!gemv)
      state.await();
    return gemv ? emitCUDAGemv(state, *gemv) : emitCUDAGemm(state);
  case kernel::FusionRoot::Plugin:
    break; // It has code of its own.
  }
  llvm_unreachable("all fusion roots are above");
}

LogicalResult EmitCUDAPass::emitKernel(kernel::FuncOp kernel,
                                       gpu::GPUModuleOp device, OpBuilder &b) {
  if (failed(verifyForm(kernel)))
    return failure();
  if (kernel::PluginOp plugin = KernelEmission::pluginOf(kernel))
    return emitDevicePlugin(kernel, plugin, device, chip);
  CudaChip target = CudaChip::of(chip);
  std::optional<GemvSchedule> gemv = scheduleGemv(kernel, target);
  if (!gemv && kernel.getRoot() == kernel::FusionRoot::Gemm &&
      target.hasWgmma())
    if (std::optional<WgmmaSchedule> schedule = recogniseWgmma(kernel)) {
      cut(kernel, *schedule);
      return emitWgmma(kernel, *schedule, device, b);
    }
  FunctionType type = kernel.getFunctionType();
  unsigned sizes =
      llvm::count_if(type.getInputs(), [](Type t) { return t.isIndex(); });
  unsigned inputs = type.getNumInputs() - sizes;
  unsigned pointers = inputs + type.getNumResults();
  gpu::GPUFuncOp func = createFunction(kernel, pointers, sizes, b);
  KernelEmission emission(kernel, b, EmitterOptions());
  ValueRange arguments = func.getBody().front().getArguments();
  if (failed(emission.bind(arguments.take_front(pointers),
                           arguments.slice(pointers, sizes))))
    return failure();
  markAccuracy(kernel);
  emission.math.divideNarrow();
  CUDAKernel state{emission, device, target};
  if (tile)
    state.wantedTile = {tile->m, tile->n};
  state.prefetches = prefetch;
  state.releasesEarly = !firstKernels.contains(kernel.getSymName());
  if (failed(emitBody(state, emission.root(), gemv)))
    return failure();
  CUDAKernel::finish(func);
  auto block = kernel.getConfigAttr().getBlock();
  func.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr(
      {int32_t(block[0]), int32_t(block[1]), int32_t(block[2])}));
  // Without it, the assembler delays loads in order to save registers.
  int64_t resident = gemv ? gemv->residentBlocks : state.residentBlocks;
  if (resident > 0)
    func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  b.getI32IntegerAttr(resident));
  return success();
}
