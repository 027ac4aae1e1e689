//===- EmitCUDA.cpp - CUDA code of kernels --------------------------------===//
//
// kernel.func on linalg -> gpu.func over bare pointers and sizes.
//
//===----------------------------------------------------------------------===//

#include "EmitCUDA.h"

#include "Codegen/CUDA/Contractions/SplitTail.h"
#include "Codegen/CUDA/MemoryBound/RadixTile.h"
#include "Codegen/CUDA/MemoryBound/Reduction.h"
#include "Codegen/CUDA/MemoryBound/ScanColumns.h"
#include "Codegen/CUDA/MemoryBound/ScanParts.h"
#include "Codegen/CUDA/MemoryBound/ScanRows.h"
#include "Codegen/CUDA/MemoryBound/ScanTiles.h"
#include "Codegen/CUDA/Schedule/Schedules.h"

#include "Codegen/Emit/PluginEmission.h"
#include "tripy/Codegen/Passes.h"
#include "tripy/Dialect/Common/Barriers.h"
#include "tripy/Dialect/Tile/Tile.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/StringSet.h"

namespace tripy {
#define GEN_PASS_DEF_EMITCUDAPASS
#include "tripy/Codegen/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

namespace {
struct EmitCUDAPass : tripy::impl::EmitCUDAPassBase<EmitCUDAPass> {
  using EmitCUDAPassBase::EmitCUDAPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<kernel::FuncOp> kernels(module.getOps<kernel::FuncOp>());
    if (kernels.empty())
      return;
    Result<const Machine *> known = getMachine(chip);
    if (!known) {
      emitError(module.getLoc(), known.status().message());
      return signalPassFailure();
    }
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
    // --tile-to-nvvm emits these.
    llvm::StringSet<> ofTiles;
    for (auto function : module.getOps<tile::FuncOp>())
      ofTiles.insert(function.getKernel());
    for (kernel::FuncOp kernel : kernels) {
      if (ofTiles.contains(kernel.getSymName()))
        continue;
      b.setInsertionPointToEnd(device.getBody());
      if (failed(emitKernel(kernel, device, b)))
        return signalPassFailure();
    }
    useBarrierIntrinsics(device);
  }

  void findWrittenInputs(ModuleOp module);
  LogicalResult emitKernel(kernel::FuncOp kernel, gpu::GPUModuleOp device,
                           OpBuilder &b);

  /// The first kernel of each program that has several launches.
  llvm::StringSet<> firstKernels;
};
} // namespace

/// Makes every kernel wait for those before it: sets `waitsFor` from the calls,
/// and notes which are the first of several.
void EmitCUDAPass::findWrittenInputs(ModuleOp module) {
  llvm::StringMap<SmallVector<bool>> written;
  llvm::StringSet<> first;
  SymbolTable symbols(module);
  for (auto kernel : module.getOps<kernel::FuncOp>())
    written[kernel.getSymName()].resize(llvm::count_if(
        kernel.getFunctionType().getInputs(), llvm::IsaPred<RankedTensorType>));
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isFirst = true;
    auto calls = llvm::to_vector(function.getOps<kernel::CallOp>());
    for (kernel::CallOp call : calls) {
      SmallVector<bool> &ofCallee = written[call.getCallee()];
      if (isFirst && calls.size() > 1)
        first.insert(call.getCallee());
      unsigned number = 0;
      for (Value input : call.getInputs())
        if (isa<RankedTensorType>(input.getType()))
          ofCallee[number++] |= kernel::mayBeWritten(input, isFirst);
      isFirst = false;
    }
  }
  for (auto kernel : module.getOps<kernel::FuncOp>()) {
    StringRef name = kernel.getSymName();
    ArrayRef<bool> waits = written[name];
    auto note = [&](kernel::FuncOp launched) {
      launched.setWaitsFor(waits);
      if (first.contains(name))
        firstKernels.insert(launched.getSymName());
    };
    // What is only a version has no calls.
    if (!kernel.getGuard() || kernel.getVersions())
      note(kernel);
    for (kernel::FuncOp version : kernel::versionsOf(kernel, symbols))
      note(version);
  }
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

/// The `sizes` of `kernel`, arguments of its function, as LLVM computes with
/// them in 32 bits where they are below 2^32. It would compute 64 bits from
/// what it only knows the range of.
static SmallVector<Value> narrowSizes(kernel::FuncOp kernel, ValueRange sizes,
                                      OpBuilder &b) {
  SmallVector<Value> narrow(sizes);
  kernel::SizesAttr known = kernel.getSizesAttr();
  if (!known)
    return narrow;
  Location loc = kernel.getLoc();
  for (auto [size, least, most] :
       llvm::zip_equal(narrow, known.getMin(), known.getMax())) {
    if (least < 0 || most > UINT32_MAX)
      continue;
    Value number = arith::IndexCastUIOp::create(b, loc, b.getI64Type(), size);
    Value word = LLVM::InlineAsmOp::create(
                     b, loc, TypeRange(b.getI32Type()), ValueRange{number},
                     "cvt.u32.u64 $0, $1;", "=r,l", /*has_side_effects=*/false,
                     /*is_align_stack=*/false, LLVM::TailCallKind::None,
                     LLVM::AsmDialectAttr(), ArrayAttr())
                     .getResult(0);
    size = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), word);
  }
  return narrow;
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

/// What a kernel's schedule says, of the kinds that are read before a function
/// is opened.
struct Cut {
  std::optional<WgmmaSchedule> wgmma;
  std::optional<GemvSchedule> gemv;
  std::optional<AttentionSplit> split;
  /// Of contractions on CUDA cores and with mma.sync, and of split attention.
  SmallVector<int64_t> workspace;
};

/// An error where the kernel is cut in an illegal way.
static FailureOr<Cut> readCut(kernel::FuncOp kernel, const CudaChip &chip) {
  Cut cut;
  Attribute schedule = kernel.getScheduleAttr();
  if (auto wgmma = dyn_cast_if_present<kernel::WgmmaScheduleAttr>(schedule)) {
    FailureOr<WgmmaSchedule> read = readWgmmaSchedule(kernel, wgmma, chip);
    if (failed(read))
      return failure();
    cut.wgmma = std::move(*read);
  }
  if (auto gemv = dyn_cast_if_present<kernel::GemvScheduleAttr>(schedule)) {
    StringRef rule;
    cut.gemv = readGemvSchedule(kernel, gemv, chip, rule);
    if (!cut.gemv)
      return illegalSchedule(kernel, rule);
  }
  cut.workspace = tailWorkspace(kernel, chip);
  using Split = kernel::SplitAttentionScheduleAttr;
  if (auto split = dyn_cast_if_present<Split>(schedule)) {
    FailureOr<AttentionSplit> read = readAttentionSplit(kernel, split, chip);
    if (failed(read))
      return failure();
    cut.split = *read;
    cut.workspace = read->workspace();
  }
  if (isa_and_present<kernel::AttentionScheduleAttr>(schedule))
    return kernel.emitError("a kernel with such a schedule becomes a tile "
                            "function: --kernel-build-tiles comes first");
  return cut;
}

/// The code of a kernel, by what it is built around.
static LogicalResult emitBody(CUDAKernel &state, kernel::FusionRoot root,
                              const Cut &cut) {
  switch (root) {
  case kernel::FusionRoot::Loop:
    if (!emitCUDATranspose(state))
      emitCUDALoop(state);
    return success();
  case kernel::FusionRoot::Row:
    if (!emitCUDAFirstPlace(state))
      emitCUDARow(state);
    return success();
  case kernel::FusionRoot::Reduce:
    emitCUDAReduce(state);
    return success();
  case kernel::FusionRoot::Scan:
    if (std::optional<ScanRows> rows = planScanRows(state.e.kernel, state.chip))
      emitCUDAScanRows(state, *rows);
    else if (std::optional<ScanTiles> tiles =
                 planScanTiles(state.e.kernel, state.chip))
      emitCUDAScanTiles(state, *tiles);
    else
      emitCUDAScan(state);
    return success();
  case kernel::FusionRoot::Attention:
    if (cut.split)
      emitSplitAttention(state, *cut.split);
    else
      emitCUDAAttention(state);
    return success();
  case kernel::FusionRoot::Sort:
    emitCUDASortPart(state);
    return success();
  case kernel::FusionRoot::Gemm:
    if (cut.gemv)
      return emitCUDAGemv(state, *cut.gemv);
    return emitCUDAGemm(state);
  case kernel::FusionRoot::Plugin:
    break; // It has code of its own.
  }
  llvm_unreachable("all fusion roots are above");
}

/// Tells the assembler the threads of a block, and how many blocks are to be
/// `resident`; 0: any number.
static void setBounds(gpu::GPUFuncOp func, kernel::FuncOp kernel,
                      int64_t resident) {
  Builder b(func.getContext());
  auto block = kernel.getConfigAttr().getBlock();
  func.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr(
      {int32_t(block[0]), int32_t(block[1]), int32_t(block[2])}));
  // Without it, the assembler delays loads in order to save registers.
  if (resident > 0)
    func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  b.getI32IntegerAttr(resident));
}

LogicalResult EmitCUDAPass::emitKernel(kernel::FuncOp kernel,
                                       gpu::GPUModuleOp device, OpBuilder &b) {
  if (failed(verifyForm(kernel)))
    return failure();
  if (kernel::PluginOp plugin = KernelEmission::pluginOf(kernel))
    return emitDevicePlugin(kernel, plugin, device, chip);
  const CudaChip &target = CudaChip::of(chip);
  ScheduleRequests requests;
  requests.tiles = ScheduleRequests::Tiles::Off;
  if (!kernel.getSchedule() && failed(chooseSchedule(kernel, target, requests)))
    return failure();
  FailureOr<Cut> cut = readCut(kernel, target);
  if (failed(cut))
    return failure();
  if (cut->wgmma)
    return emitWgmma(kernel, *cut->wgmma, device, b, prefetch);
  FunctionType type = kernel.getFunctionType();
  unsigned sizes =
      llvm::count_if(type.getInputs(), [](Type t) { return t.isIndex(); });
  unsigned inputs = type.getNumInputs() - sizes;
  unsigned tensors = inputs + type.getNumResults();
  std::optional<ReductionPlan> reduction = planReduction(kernel, target);
  std::optional<ScanParts> scan = planScanParts(kernel, target);
  std::optional<ScanColumns> columns = planScanColumns(kernel, target);
  SmallVector<int64_t> workspace = reduction ? reduction->workspace()
                                   : scan    ? scan->layout().workspace()
                                   : columns ? columns->layout().workspace()
                                             : cut->workspace;
  unsigned pointers = tensors + workspace.size();
  gpu::GPUFuncOp func = createFunction(kernel, pointers, sizes, b);
  KernelEmission emission(kernel, b, EmitterOptions());
  ValueRange arguments = func.getBody().front().getArguments();
  if (failed(emission.bind(arguments.take_front(tensors),
                           narrowSizes(kernel, arguments.take_back(sizes), b))))
    return failure();
  markAccuracy(kernel);
  emission.math.divideNarrow();
  if (kernel.getRoot() != kernel::FusionRoot::Gemm &&
      kernel.getRoot() != kernel::FusionRoot::Attention)
    emission.math.joinInside();
  CUDAKernel state{emission, device, target};
  state.prefetches = prefetch;
  state.releasesEarly = !firstKernels.contains(kernel.getSymName());
  state.workspace =
      llvm::to_vector(arguments.slice(tensors, pointers - tensors));
  if (prefetch && !cut->gemv) // It loads them early.
    prefetchParameters(emission);
  if (reduction)
    emitCUDAReduction(state, *reduction);
  else if (scan)
    emitCUDAScanParts(state, *scan);
  else if (columns)
    emitCUDAScanColumns(state, *columns);
  else if (failed(emitBody(state, emission.root(), *cut)))
    return failure();
  CUDAKernel::finish(func);
  setBounds(func, kernel,
            cut->gemv ? cut->gemv->residentBlocks : state.residentBlocks);
  return success();
}

void codegen::pinLoads(OpBuilder &b, Location loc) {
  LLVM::InlineAsmOp::create(b, loc, TypeRange(), ValueRange(), "", "~{memory}",
                            /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

Value codegen::hideFromLLVM(OpBuilder &b, Location loc, Value value) {
  return LLVM::InlineAsmOp::create(
             b, loc, TypeRange(b.getI32Type()), ValueRange{value},
             "mov.b32 $0, $1;", "=r,r", /*has_side_effects=*/false,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}
