//===- MathHarness.cpp - Runs expanded math functions ---------------------===//
#include "MathHarness.h"

#include "tripy/Base/Float.h"
#include "tripy/Codegen/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/ADT/bit.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace tripy::test;

static const char *const loopText = R"(
llvm.func @run(%px: !llvm.ptr {llvm.noalias}, %py: !llvm.ptr {llvm.noalias},
               %pout: !llvm.ptr {llvm.noalias}, %n: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^head(%zero : i64)
^head(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^exit
^body:
  %ax = llvm.getelementptr %px[%i] : (!llvm.ptr, i64) -> !llvm.ptr, INPUT
  %ay = llvm.getelementptr %py[%i] : (!llvm.ptr, i64) -> !llvm.ptr, INPUT
  %aout = llvm.getelementptr %pout[%i] : (!llvm.ptr, i64) -> !llvm.ptr, OUTPUT
  %x = llvm.load %ax : !llvm.ptr -> INPUT
  %y = llvm.load %ay : !llvm.ptr -> INPUT
  %r = BODY
  llvm.store %RESULT, %aout : OUTPUT, !llvm.ptr
  %next = llvm.add %i, %one : i64
  llvm.br ^head(%next : i64)
^exit:
  llvm.return
}
)";

static const char *const kernelText = R"(
llvm.func @run(%px: !llvm.ptr {llvm.noalias}, %py: !llvm.ptr {llvm.noalias},
               %pout: !llvm.ptr {llvm.noalias}) attributes {nvvm.kernel} {
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %ctaid = nvvm.read.ptx.sreg.ctaid.x : i32
  %ntid = nvvm.read.ptx.sreg.ntid.x : i32
  %base = llvm.mul %ctaid, %ntid : i32
  %i = llvm.add %base, %tid : i32
  %ax = llvm.getelementptr %px[%i] : (!llvm.ptr, i32) -> !llvm.ptr, INPUT
  %ay = llvm.getelementptr %py[%i] : (!llvm.ptr, i32) -> !llvm.ptr, INPUT
  %aout = llvm.getelementptr %pout[%i] : (!llvm.ptr, i32) -> !llvm.ptr, OUTPUT
  %x = llvm.load %ax : !llvm.ptr -> INPUT
  %y = llvm.load %ay : !llvm.ptr -> INPUT
  %r = BODY
  llvm.store %RESULT, %aout : OUTPUT, !llvm.ptr
  llvm.return
}
)";

static void replaceAll(std::string &text, StringRef from, StringRef to) {
  for (size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

template <typename T> static T check(llvm::Expected<T> value) {
  if (!value)
    llvm::report_fatal_error(value.takeError());
  return std::move(*value);
}

/// The LLVM module of `text` with `function` put in.
static std::unique_ptr<llvm::Module> lower(const char *text,
                                           const ScalarFunction &function,
                                           bool cuda, bool fast16,
                                           llvm::LLVMContext &llvmContext) {
  DialectRegistry registry;
  registerAllToLLVMIRTranslations(registry);
  registry.insert<arith::ArithDialect, math::MathDialect, LLVM::LLVMDialect,
                  NVVM::NVVMDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string source = text;
  replaceAll(source, "BODY",
             function.build
                 ? "builtin.unrealized_conversion_cast %x, %y : INPUT, INPUT "
                   "to OUTPUT"
                 : function.body);
  replaceAll(source, "RESULT", function.result);
  replaceAll(source, "INPUT", function.input);
  replaceAll(source, "OUTPUT", function.output);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  if (!module)
    llvm::report_fatal_error("the function does not parse");
  if (function.build)
    module->walk([&](UnrealizedConversionCastOp op) {
      OpBuilder b(op);
      Value result = function.build(b, op.getOperand(0), op.getOperand(1));
      op.getResult(0).replaceAllUsesWith(result);
      op.erase();
    });
  PassManager pm(&context);
  tripy::ExpandMathPassOptions options;
  options.cuda = cuda;
  options.fast16 = fast16;
  pm.addPass(tripy::createExpandMathPass(options));
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  if (failed(pm.run(*module)))
    llvm::report_fatal_error("the function does not lower");
  auto result = translateModuleToLLVMIR(*module, llvmContext);
  if (!result)
    llvm::report_fatal_error("the function does not translate");
  return result;
}

static void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : module) {
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
  }
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

/// What LLVM calls to round to bf16 on processors without an instruction for
/// it, and a C library may lack. A bf16 is returned in the low half of a
/// float's register.
static float truncateToBF16(float value) {
  return llvm::bit_cast<float>(uint32_t(tripy::toBF16(value)));
}

CompiledLoop::CompiledLoop(const ScalarFunction &function, bool fast16) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = lower(loopText, function, /*cuda=*/false, fast16, *context);
  auto target = check(llvm::orc::JITTargetMachineBuilder::detectHost());
  target.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  auto machine = check(target.createTargetMachine());
  optimise(*module, *machine);
  llvm::raw_string_ostream(llvmIR) << *module;
  jit = check(llvm::orc::LLJITBuilder()
                  .setJITTargetMachineBuilder(std::move(target))
                  .create());
  llvm::orc::SymbolMap symbols;
  symbols[jit->mangleAndIntern("__truncsfbf2")] = {
      llvm::orc::ExecutorAddr::fromPtr(&truncateToBF16),
      llvm::JITSymbolFlags::Exported};
  if (llvm::Error error = jit->getMainJITDylib().define(
          llvm::orc::absoluteSymbols(std::move(symbols))))
    llvm::report_fatal_error(std::move(error));
  if (llvm::Error error = jit->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
    llvm::report_fatal_error(std::move(error));
  loop = check(jit->lookup("run")).toPtr<Loop>();
}

CompiledLoop::~CompiledLoop() = default;

std::string tripy::test::compileToPTX(const ScalarFunction &function,
                                      bool fast16) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::LLVMContext context;
  auto module = lower(kernelText, function, /*cuda=*/true, fast16, context);
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    llvm::report_fatal_error(llvm::StringRef(error));
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, "sm_90", "+ptx80", llvm::TargetOptions(), std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  optimise(*module, *machine);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager pm;
  if (machine->addPassesToEmitFile(pm, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    llvm::report_fatal_error("PTX cannot be emitted");
  pm.run(*module);
  return std::string(text);
}
