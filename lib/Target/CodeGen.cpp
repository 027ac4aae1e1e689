//===- CodeGen.cpp - From MLIR to machine code ----------------------------===//

#include "CodeGen.h"
#include "HoistDivisions.h"

#include "KernelClock.h"
#include "Partition.h"
#include "SingleLaneStores.h"

#include "tripy/Dialect/Common/Barriers.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"

using namespace mlir;
using namespace tripy;

/// scf -> cf. Of its own, since values of blocks change no type here.
static LogicalResult lowerStructuredControlFlow(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*root->getContext());
  target.addIllegalDialect<scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(root, target, std::move(patterns));
}

/// Drops pairs of casts; reports one that is left.
static LogicalResult dropCasts(Operation *root) {
  SmallVector<UnrealizedConversionCastOp> casts, left;
  root->walk([&](UnrealizedConversionCastOp cast) { casts.push_back(cast); });
  reconcileUnrealizedCasts(casts, &left);
  if (left.empty())
    return success();
  return left.front().emitOpError("has no form in LLVM's dialect: it casts ")
         << left.front().getOperandTypes() << " to "
         << left.front().getResultTypes();
}

/// Lowers scf, cf, arith, math, memref, vector, func, and with `device` gpu,
/// below `root` to the LLVM and NVVM dialects. Reports the first operation that
/// remains.
static LogicalResult lowerToLLVMDialect(Operation *root, bool device) {
  if (failed(lowerStructuredControlFlow(root)))
    return failure();
  MLIRContext *context = root->getContext();
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(64);
  LLVMTypeConverter converter(context, options);
  RewritePatternSet patterns(context);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  // Of memrefs that are arguments of a plugin's kernel.
  target.addLegalOp<UnrealizedConversionCastOp>();
  if (device) {
    configureGpuToNVVMTypeConverter(converter);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
  }
  // Functions that are left have instructions: their intrinsics are preferred
  // to calls of a device library.
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false,
                                       /*benefit=*/20);
  if (failed(applyFullConversion(root, target, std::move(patterns))) ||
      failed(dropCasts(root)))
    return failure();
  if (!device)
    return success();
  // nvvm operations without an intrinsic become inline PTX. Each is visited
  // once: nothing that a pattern makes needs another.
  RewritePatternSet assembly(context);
  populateNVVMToLLVMConversionPatterns(assembly);
  walkAndApplyPatterns(root, std::move(assembly));
  useBarrierIntrinsics(root);
  return success();
}

LogicalResult target::lowerPart(Operation *part, bool device) {
  SmallVector<StringRef> order = symbolOrder(part);
  if (failed(lowerToLLVMDialect(part, device)))
    return failure();
  restoreOrder(part, order);
  return success();
}

size_t target::countKernels(Operation *container) {
  return llvm::count_if(container->getRegion(0).front(), [](Operation &op) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    return function && !function.isExternal() && function.isPublic();
  });
}

FailureOr<target::PartOutputs>
target::compileParts(Operation *container, size_t most,
                     llvm::function_ref<LogicalResult(Operation *, size_t,
                                                      SmallVectorImpl<char> &)>
                         compile,
                     CodeWatch *watch) {
  MLIRContext *context = container->getContext();
  prepareContext(*context);
  TimingScope scope = watch ? watch->nest("LLVM") : TimingScope();
  if (watch)
    watch->begin("LLVM", countKernels(container));
  std::vector<OwningOpRef<Operation *>> parts = partition(container, most);
  SmallVector<size_t> sizes;
  for (const OwningOpRef<Operation *> &part : parts)
    sizes.push_back(countOperations(*part));
  PartOutputs outputs(parts.size());
  if (failed(failableParallelForEach(
          context, largestFirst(sizes), [&](size_t i) -> LogicalResult {
            if (watch && watch->mustStop())
              return emitError(container->getLoc(), "cancelled");
            return compile(*parts[i], i, outputs[i]);
          })))
    return failure();
  return outputs;
}

std::unique_ptr<llvm::Module>
target::translatePart(Operation *part, bool device,
                      llvm::LLVMContext &context) {
  if (failed(lowerPart(part, device)))
    return nullptr;
  return translateModuleToLLVMIR(part, context,
                                 device ? "device_code" : "host_code",
                                 /*disableVerification=*/false);
}

/// Instructions of a host function above which loops of a constant trip count
/// are unrolled as at -O2. At -O3 each loop of a nest may grow by as much as
/// the loops inside it already have: a product of 97 x 211 x 163 had 10,000
/// instructions and took a second. Up to here, code runs as fast as at -O3.
static constexpr unsigned maxUnrolledAsO3 = 500;

namespace {
/// Stands in the place of LoopFullUnrollPass.
struct FullUnrollPass : llvm::PassInfoMixin<FullUnrollPass> {
  llvm::PreservedAnalyses run(llvm::Loop &loop,
                              llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &results,
                              llvm::LPMUpdater &updater) {
    bool large =
        loop.getHeader()->getParent()->getInstructionCount() > maxUnrolledAsO3;
    return llvm::LoopFullUnrollPass(large ? 2 : 3)
        .run(loop, analyses, results, updater);
  }
};
} // namespace

void target::optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                            CodeWatch *watch) {
  KernelClock clock(watch);
  llvm::PassInstrumentationCallbacks callbacks;
  auto enter = [&](StringRef, llvm::Any unit) {
    if (auto *function = llvm::any_cast<const llvm::Function *>(&unit))
      clock.enter((*function)->getName());
  };
  if (clock.isOn())
    callbacks.registerBeforeNonSkippedPassCallback(enter);
  llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions();
  for (llvm::LibFunc function :
       {llvm::LibFunc_memcpy, llvm::LibFunc_memset, llvm::LibFunc_memmove})
    library.setAvailable(function);
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = true;
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  if (!machine.getTargetTriple().isNVPTX()) {
    // Loop load elimination asks for the dependences of each pair of accesses
    // once more, a quarter of all time here, to find values that the emitters
    // already keep in registers.
    callbacks.registerShouldRunOptionalPassCallback([](StringRef pass,
                                                       llvm::Any) {
      return pass != "LoopFullUnrollPass" && pass != "LoopLoadEliminationPass";
    });
    builder.registerLoopOptimizerEndEPCallback(
        [](llvm::LoopPassManager &passes, llvm::OptimizationLevel) {
          passes.addPass(FullUnrollPass());
        });
    builder.registerVectorizerStartEPCallback(
        [](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
          passes.addPass(HoistDivisionsPass());
        });
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager &passes,
                                               llvm::OptimizationLevel,
                                               llvm::ThinOrFullLTOPhase) {
      passes.addPass(
          llvm::createModuleToFunctionPassAdaptor(SingleLaneStoresPass()));
    });
  }
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

/// Sums, products and addresses of a straight line up to which LLVM reduces
/// their strength. It compares each with all before it: a chain of 200
/// exponentials would take a minute. Products on CUDA cores stay below it; they
/// are slower without.
static constexpr unsigned maxStrengthReduced = 512;

namespace {
/// Leaves straight-line strength reduction out of functions where it would take
/// longer than all other passes together.
class PassGate : public llvm::OptPassGate {
public:
  PassGate(const llvm::Module &module, target::KernelClock &clock)
      : clock(clock) {
    for (const llvm::Function &function : module)
      if (numCandidates(function) > maxStrengthReduced)
        large.insert(("function (" + function.getName() + ")").str());
  }
  bool isEnabled() const override { return !large.empty() || clock.isOn(); }
  bool shouldRunPass(StringRef pass, StringRef unit) const override {
    // Asked for each pass and function, so that it knows which one is next.
    if (StringRef name = unit; name.consume_front("function ("))
      clock.enter(name.drop_back());
    return pass != "slsr" || !large.contains(unit);
  }

private:
  /// Of the block that has the most.
  static unsigned numCandidates(const llvm::Function &function) {
    unsigned maximum = 0;
    for (const llvm::BasicBlock &block : function) {
      unsigned count =
          llvm::count_if(block, [](const llvm::Instruction &instruction) {
            unsigned opcode = instruction.getOpcode();
            return opcode == llvm::Instruction::Add ||
                   opcode == llvm::Instruction::Mul ||
                   opcode == llvm::Instruction::GetElementPtr;
          });
      maximum = std::max(maximum, count);
    }
    return maximum;
  }

  target::KernelClock &clock;
  llvm::StringSet<> large;
};

/// Runs behind the passes that print a function: a kernel is done.
class CountKernel : public llvm::FunctionPass {
public:
  static char id;
  explicit CountKernel(target::CodeWatch &watch)
      : FunctionPass(id), watch(watch) {}
  llvm::StringRef getPassName() const override { return "Count kernels"; }
  bool runOnFunction(llvm::Function &function) override {
    if (!function.hasLocalLinkage())
      watch.advance("LLVM");
    return false;
  }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override {
    usage.setPreservesAll();
  }

private:
  target::CodeWatch &watch;
};
} // namespace

char CountKernel::id = 0;

bool target::emitModule(llvm::Module &module, llvm::TargetMachine &machine,
                        Emission kind, SmallVectorImpl<char> &out,
                        CodeWatch *watch) {
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager passes;
  llvm::CodeGenFileType type = kind == Emission::Object
                                   ? llvm::CodeGenFileType::ObjectFile
                                   : llvm::CodeGenFileType::AssemblyFile;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type,
                                  /*DisableVerify=*/true))
    return false;
  if (watch)
    passes.add(new CountKernel(*watch));
  target::KernelClock clock(watch);
  PassGate gate(module, clock);
  module.getContext().setOptPassGate(gate);
  passes.run(module);
  module.getContext().setOptPassGate(llvm::getGlobalPassGate());
  return true;
}
