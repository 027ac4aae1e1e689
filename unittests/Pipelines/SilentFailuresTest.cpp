//===- SilentFailuresTest.cpp - No failure without a message --------------===//

#include "tripy/Pipelines/SilentFailures.h"

#include "tripy/Compiler/Compiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tripy;

namespace {

/// Fails on the functions whose names begin with "bad"; with a word if it
/// `speaks`.
struct Failing : PassWrapper<Failing, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Failing)
  explicit Failing(bool speaks, StringRef prefix = "bad")
      : speaks(speaks), prefix(prefix) {}
  StringRef getName() const override { return "Failing"; }
  void runOnOperation() override {
    if (!getOperation().getSymName().starts_with(prefix))
      return;
    if (speaks)
      getOperation().emitOpError("is bad");
    signalPassFailure();
  }
  bool speaks;
  std::string prefix;
};

class SilentFailuresTest : public ::testing::Test {
protected:
  SilentFailuresTest() {
    DialectRegistry registry;
    registerCompilerDialects(registry);
    context.appendDialectRegistry(registry);
    context.printOpOnDiagnostic(false);
  }
  OwningOpRef<ModuleOp> parse(const std::string &text) {
    return parseSourceString<ModuleOp>(text, &context);
  }
  /// The errors of `run`, which has to fail.
  std::vector<std::string> errorsOf(llvm::function_ref<LogicalResult()> run) {
    std::vector<std::string> errors;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        errors.push_back(diagnostic.str());
    });
    EXPECT_TRUE(failed(run()));
    return errors;
  }

  MLIRContext context;
};

const char *const program = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
})";

} // namespace

// One function of many, on any thread: one message.
TEST_F(SilentFailuresTest, NamesPassAndOperation) {
  std::string text;
  for (int i = 0; i < 50; ++i)
    text += "func.func @" + std::string(i == 31 ? "bad" : "f") +
            std::to_string(i) + "() { return }\n";
  OwningOpRef<ModuleOp> module = parse(text);
  PassManager passes(&context);
  reportSilentFailures(passes);
  passes.addNestedPass<func::FuncOp>(std::make_unique<Failing>(false));
  EXPECT_EQ(errorsOf([&] { return passes.run(*module); }),
            std::vector<std::string>{
                "what fails must say why; the pass 'Failing' failed on "
                "'func.func' @bad31 without a message"});
}

// An error of the pass's own is enough.
TEST_F(SilentFailuresTest, LeavesMessagesAlone) {
  OwningOpRef<ModuleOp> module =
      parse("func.func @bad() { return }\nfunc.func @good() { return }\n");
  PassManager passes(&context);
  reportSilentFailures(passes);
  passes.addNestedPass<func::FuncOp>(std::make_unique<Failing>(true));
  EXPECT_EQ(errorsOf([&] { return passes.run(*module); }),
            std::vector<std::string>{"'func.func' op is bad"});
}

// What tripy-compile, --evaluate and the tuner call.
TEST_F(SilentFailuresTest, InTheCompiler) {
  CompileOptions options;
  options.cache.enabled = false;
  options.configure = [](PassManager &passes) {
    passes.addNestedPass<func::FuncOp>(
        std::make_unique<Failing>(false, "main"));
  };
  std::vector<std::string> expected = {
      "what fails must say why; the pass 'Failing' failed on 'func.func' @main "
      "without a message"};
  OwningOpRef<ModuleOp> module = parse(program);
  EXPECT_EQ(
      errorsOf([&] { return lowerProgram(*module, Level::FlatIR, options); }),
      expected);
  module = parse(program);
  EXPECT_EQ(errorsOf([&] {
              return LogicalResult(compileToProgram(*module, options));
            }),
            expected);
  module = parse(program);
  auto function = *module->getOps<func::FuncOp>().begin();
  EXPECT_EQ(errorsOf([&] {
              return LogicalResult(compileKernels(*module, function, options));
            }),
            expected);
}

// Steps that are no passes.
TEST_F(SilentFailuresTest, Explains) {
  ErrorWatch watch(&context);
  Location loc = UnknownLoc::get(&context);
  EXPECT_EQ(errorsOf([&] {
              return watch.explain(failure(), loc, "linking", "'main'");
            }),
            std::vector<std::string>{"what fails must say why; linking failed "
                                     "on 'main' without a message"});
  EXPECT_TRUE(succeeded(watch.explain(success(), loc, "linking", "'main'")));
}
