//===- Compiler.cpp - From a module to an executable file -----------------===//

#include "tripy/Compiler/Compiler.h"

#include "Levels.h"
#include "ProgramCheck.h"

#include "tripy/Base/Text.h"
#include "tripy/Base/Verify.h"
#include "tripy/Conversion/TraceToFlatIR.h"
#include "tripy/Dialect/Common/SizeOps.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Tile/Tile.h"
#include "tripy/Dialect/Trace/Trace.h"
#include "tripy/Dialect/Tripy/Plugin.h"
#include "tripy/Dialect/Tripy/Provenance.h"
#include "tripy/Dialect/Tripy/Tripy.h"
#include "tripy/Pipelines/InlineCalls.h"
#include "tripy/Pipelines/LevelVerifier.h"
#include "tripy/Pipelines/LoadPlugins.h"
#include "tripy/Pipelines/SilentFailures.h"
#include "tripy/Target/HostCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLForwardCompat.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace tripy;

Status CompileOptions::setTarget(std::string_view text) {
  if (text == "cpu") {
    targetChosen = true;
    device = DeviceKind::CPU;
    return Status::ok();
  }
  if (text == "cuda" || text.starts_with("cuda:")) {
    std::string name(text == "cuda" ? "sm_90a" : text.substr(5));
    Result<target::CudaTarget> found = target::findCudaTarget(name);
    if (!found)
      return found.status();
    targetChosen = true;
    device = DeviceKind::CUDA;
    chip = name;
    return Status::ok();
  }
  ClosestName closest(text);
  for (std::string_view known : {"cpu", "cuda", "cuda:sm_90a"})
    closest.consider(known);
  return Status(Code::InvalidArgument,
                concat("a target must be 'cpu', 'cuda' or 'cuda:' and an "
                       "architecture, such as cuda:sm_90a, but is '",
                       printable(text), "'", closest.suggestion()));
}

void tripy::registerCompilerDialects(DialectRegistry &registry) {
  registry.insert<TripyDialect, trace::TraceDialect, flatir::FlatIRDialect,
                  kernel::KernelDialect, tile::TileDialect, arith::ArithDialect,
                  func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                  tensor::TensorDialect>();
  // Of kernels' code.
  registry.insert<cf::ControlFlowDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                  memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect,
                  ub::UBDialect, vector::VectorDialect>();
}

static FailureOr<func::FuncOp> findFunction(ModuleOp module, StringRef name) {
  ClosestName closest(name);
  std::string all;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.getSymName() == name && !function.isExternal())
      return function;
    if (function.isExternal())
      continue;
    closest.consider(function.getSymName());
    if (all.size() < 200)
      all += (all.empty() ? "'" : ", '") + function.getSymName().str() + "'";
  }
  return emitError(module.getLoc(), "the program must have a function '")
         << name << "'; found "
         << (all.empty() ? std::string("none") : printable(all, 300))
         << closest.suggestion();
}

FailureOr<func::FuncOp> tripy::findProgram(ModuleOp module,
                                           const CompileOptions &given) {
  FailureOr<CompileOptions> options = readOptions(module, given);
  if (failed(options))
    return failure();
  return findFunction(module, options->function);
}

/// The plugins that a program calls, and the modules of their code.
static llvm::SmallPtrSet<Operation *, 8> pluginsOf(func::FuncOp function) {
  llvm::SmallPtrSet<Operation *, 8> found;
  auto add = [&](Operation *call, StringRef callee) {
    PluginOp plugin = findPlugin(call, callee);
    if (!plugin || !found.insert(plugin).second)
      return;
    for (auto source : plugin.getSources().getAsRange<PluginSourceAttr>())
      if (source.getModule())
        found.insert(
            SymbolTable::lookupNearestSymbolFrom(plugin, source.getModule()));
  };
  function.walk([&](Operation *op) {
    if (auto call = dyn_cast<trace::PluginOp>(op))
      add(call, call.getCallee());
    if (auto call = dyn_cast<flatir::PluginOp>(op))
      add(call, call.getCallee());
  });
  return found;
}

/// The chosen function alone: others may not even be programs.
static FailureOr<func::FuncOp> isolateProgram(ModuleOp module, StringRef name) {
  FailureOr<func::FuncOp> function = findFunction(module, name);
  if (failed(function) || failed(verifyProfiles(*function)))
    return failure();
  if (failed(inlineCalls(*function)))
    return failure();
  bool isLowered = levelOf(*function) > Level::FlatIR;
  if (failed(isLowered ? checkLoweredProgram(*function)
                       : checkProgram(*function)))
    return failure();
  if (isLowered) {
    for (auto other : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (other != *function)
        other.erase();
    return function;
  }
  llvm::SmallPtrSet<Operation *, 8> plugins = pluginsOf(*function);
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (&op != function->getOperation() && !plugins.contains(&op))
      op.erase();
  if (failed(loadPlugins(module)))
    return failure();
  return function;
}

/// What the pipelines and the target need to know about the device.
static LogicalResult findDevice(ModuleOp module, const CompileOptions &options,
                                target::TranslateOptions &translate,
                                PipelineOptions &pipeline) {
  static_cast<CodeOptions &>(pipeline) = options;
  translate.device = options.device;
  if (options.device == DeviceKind::CUDA) {
    Result<target::CudaTarget> found = target::findCudaTarget(options.chip);
    if (!found)
      return emitError(module.getLoc(), found.status().message());
    translate.cuda = *found;
    return success();
  }
  Result<target::HostTarget> found = target::findHostTarget(options.cpu);
  if (!found)
    return emitError(module.getLoc(), found.status().message());
  translate.host = *found;
  pipeline.vectorBits = found->vectorBits();
  pipeline.f16Conversion = found->has("f16c");
  pipeline.fma = found->has("fma");
  pipeline.rounding = found->has("sse4.1");
  return success();
}

/// The verifier runs where a level ends, and after each pass in tests with
/// tripy-opt.
static void prepare(PassManager &passes, const CompileOptions &options) {
  passes.enableVerifier(false);
  reportSilentFailures(passes);
  if (options.configure)
    options.configure(passes);
}

/// Runs the passes of one level after the other, each in a pass manager of its
/// own, so that what is between them can be checked.
static LogicalResult runLevels(ModuleOp module, Level from, Level to,
                               std::optional<LevelVerifier> &verifier,
                               const PipelineOptions &pipeline,
                               const CompileOptions &options) {
  TimingScope scope =
      options.timing ? options.timing->nest("passes") : TimingScope();
  for (Level next = from; next < to;) {
    Level before = next;
    next = Level(llvm::to_underlying(before) + 1);
    PassManager passes(module.getContext());
    if (options.timing)
      passes.enableTiming(scope);
    prepare(passes, options);
    buildPipeline(passes, before, next, pipeline);
    // A level that the target does not have.
    if (passes.empty())
      continue;
    if (failed(passes.run(module)))
      return failure();
    TimingScope verifyScope = scope.nest("verify");
    if (verifier && failed(verifier->verify(next)))
      return failure();
  }
  return success();
}

static LogicalResult runPasses(ModuleOp module, func::FuncOp function, Level to,
                               const PipelineOptions &pipeline,
                               const CompileOptions &options) {
  std::optional<LevelVerifier> verifier;
  if (options.verify)
    verifier.emplace(module);
  return runLevels(module, levelOf(function), to, verifier, pipeline, options);
}

LogicalResult tripy::lowerProgram(ModuleOp module, Level level,
                                  const CompileOptions &given) {
  FailureOr<CompileOptions> options = readOptions(module, given);
  if (failed(options))
    return failure();
  target::TranslateOptions translate;
  PipelineOptions pipeline;
  FailureOr<func::FuncOp> function = isolateProgram(module, options->function);
  if (failed(function) ||
      failed(findDevice(module, *options, translate, pipeline)))
    return failure();
  if (Level from = levelOf(*function); from > level)
    return emitError(function->getLoc(), "a program at the level '")
           << levelName(from) << "' cannot go back to '" << levelName(level)
           << "'";
  target::UserOperations operations = collectOperations(*function);
  if (failed(runPasses(module, *function, level, pipeline, *options)))
    return failure();
  writeOptions(module, level, *options, operations);
  return success();
}

/// A planned program as the runtime takes it.
static FailureOr<target::TranslatedProgram>
translate(ModuleOp module, func::FuncOp function,
          target::TranslateOptions settings, const CompileOptions &options) {
  TimingScope scope =
      options.timing ? options.timing->nest("machine code") : TimingScope();
  target::CodeWatch unwatched;
  settings.watch = options.watch ? options.watch : &unwatched;
  settings.watch->timing = &scope;
  llvm::scope_exit done([&] { settings.watch->timing = nullptr; });
  ErrorWatch watch(module.getContext());
  FailureOr<target::TranslatedProgram> translated =
      target::translateToProgram(module, function, settings);
  if (failed(watch.explain(translated, function.getLoc(), "code generation",
                           "'" + function.getSymName() + "'")))
    return failure();
  Status status =
      verifyProgram(translated->program, {}, translated->constantBytes);
  if (!status.isOk())
    return emitError(function.getLoc(), "the program cannot be executed: ")
           << status.message();
  return translated;
}

FailureOr<target::TranslatedProgram>
tripy::compileToProgram(ModuleOp module, const CompileOptions &given) {
  FailureOr<CompileOptions> options = readOptions(module, given);
  if (failed(options))
    return failure();
  target::TranslateOptions settings;
  PipelineOptions pipeline;
  FailureOr<func::FuncOp> function = isolateProgram(module, options->function);
  if (failed(function) ||
      failed(findDevice(module, *options, settings, pipeline)))
    return failure();
  settings.userOperations = collectOperations(*function);
  settings.weights = options->weights;
  settings.failingSizes = options->strictShapes ? target::FailingSizes::Error
                                                : target::FailingSizes::Warning;
  settings.cache = options->cache;
  if (failed(runPasses(module, *function, Level::Plan, pipeline, *options)))
    return failure();
  return translate(module, *function, settings, *options);
}

FailureOr<target::TranslatedProgram>
tripy::compileKernels(ModuleOp module, func::FuncOp function,
                      const CompileOptions &options) {
  target::TranslateOptions settings;
  PipelineOptions pipeline;
  if (failed(findDevice(module, options, settings, pipeline)))
    return failure();
  settings.cache = options.cache;
  std::optional<LevelVerifier> verifier;
  if (options.verify)
    verifier.emplace(module);
  if (failed(runLevels(module, Level::Linalg, Level::Plan, verifier, pipeline,
                       options)))
    return failure();
  return translate(module, function, settings, options);
}

FailureOr<std::vector<uint8_t>>
tripy::compileToBytes(ModuleOp module, const CompileOptions &options) {
  FailureOr<target::TranslatedProgram> translated =
      compileToProgram(module, options);
  if (failed(translated))
    return failure();
  VectorSink sink;
  Status status = serialize(translated->program, translated->constants(), sink);
  if (!status.isOk())
    return emitError(module.getLoc(), status.message());
  return std::move(sink.data);
}

LogicalResult tripy::compileToFile(ModuleOp module, const std::string &path,
                                   const CompileOptions &options) {
  FailureOr<target::TranslatedProgram> translated =
      compileToProgram(module, options);
  if (failed(translated))
    return failure();
  TimingScope scope =
      options.timing ? options.timing->nest("write") : TimingScope();
  Status status =
      writeExecutable(path, translated->program, translated->constants());
  if (!status.isOk())
    return emitError(UnknownLoc::get(module.getContext()), status.message());
  return success();
}

/// Text of machine code.
static FailureOr<std::string> codeText(ModuleOp module, StopAfter stop,
                                       const CompileOptions &options) {
  ErrorWatch watch(module.getContext());
  auto explain = [&](FailureOr<std::string> text) {
    (void)watch.explain(text, module.getLoc(), "code generation",
                        "'" + options.function + "'");
    return text;
  };
  if (stop == StopAfter::PTX) {
    auto code = module.lookupSymbol<gpu::GPUModuleOp>("device_code");
    Result<target::CudaTarget> cuda = target::findCudaTarget(options.chip);
    if (!code || !cuda)
      return std::string();
    return explain(target::compileToPTX(code, *cuda));
  }
  auto code = module.lookupSymbol<ModuleOp>("host_code");
  Result<target::HostTarget> host = target::findHostTarget(options.cpu);
  if (!code || !host)
    return std::string();
  return explain(target::printHostAssembly(code, *host));
}

FailureOr<std::string> tripy::compileToText(ModuleOp module, StopAfter stop,
                                            const CompileOptions &given) {
  FailureOr<CompileOptions> options = readOptions(module, given);
  if (failed(options))
    return failure();
  bool code = stop == StopAfter::PTX || stop == StopAfter::Assembly;
  Level level = stop == StopAfter::Trace        ? Level::Trace
                : stop == StopAfter::FlatIR     ? Level::FlatIR
                : stop == StopAfter::Dispatches ? Level::Dispatches
                : stop == StopAfter::Linalg     ? Level::Linalg
                : stop == StopAfter::Schedules  ? Level::Schedules
                : stop == StopAfter::Tiles      ? Level::Tiles
                : stop == StopAfter::Plan       ? Level::Plan
                : stop == StopAfter::LLVM       ? Level::LLVM
                                                : Level::Kernels;
  FailureOr<func::FuncOp> function = findFunction(module, options->function);
  if (failed(function))
    return failure();
  if (code)
    level = std::max(level, levelOf(*function));
  if (failed(lowerProgram(module, level, *options)))
    return failure();
  if (code)
    return codeText(module, stop, *options);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().enableDebugInfo());
  stream << "\n";
  return text;
}
