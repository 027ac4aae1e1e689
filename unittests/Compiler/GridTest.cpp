//===- GridTest.cpp - Every upstream operation x every element type -------===//
//
// Each program compiles, or is refused with an error that names the operation
// or the type. Nothing crashes, and nothing fails without a word. Of the
// element types that Tripy has, each program is tried with a third, the next
// one with another third:
//
//   TRIPY_GRID_ALL=1   with all of them
//
//===----------------------------------------------------------------------===//
#include "GridPrograms.h"

#include "tripy/Base/DType.h"
#include "tripy/Compiler/Compiler.h"
#include "tripy/Pipelines/InitAll.h"
#include "tripy/ToolSupport/ChildProcess.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <csignal>
#include <cstdlib>
#include <set>
#include <unistd.h>

using namespace mlir;
using namespace tripy;
using namespace tripy::test;

namespace {

TEST(Grid, HasEveryOperation) {
  MLIRContext context;
  context.loadDialect<linalg::LinalgDialect, tensor::TensorDialect>();
  std::set<std::string> covered;
  for (const GridProgram &program : gridPrograms())
    covered.insert(program.operation);
  size_t count = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    StringRef dialect = name.getDialectNamespace();
    if (dialect != "linalg" && dialect != "tensor")
      continue;
    ++count;
    EXPECT_TRUE(covered.count(name.getStringRef().str()))
        << name.getStringRef().str() << " has no program";
  }
  EXPECT_EQ(covered.size(), count) << "a program is of no operation";
}

/// The line of the program that a diagnostic is about.
std::string lineOf(const std::string &program, Location location) {
  unsigned number = 0;
  location->walk([&](Location at) {
    if (auto place = dyn_cast<FileLineColLoc>(at))
      number = place.getLine();
    return WalkResult::advance();
  });
  SmallVector<StringRef> lines;
  StringRef(program).split(lines, '\n');
  return number && number <= lines.size() ? lines[number - 1].str() : "";
}

struct Outcome {
  bool compiled = false;
  /// Texts of the errors, with the lines that they are about.
  std::string errors;
};

/// Whether MLIR's parser is at work. It crashes on some types before the door
/// sees them; tripy-compile's child process makes a sentence of that.
volatile std::sig_atomic_t parsing = 0;

Outcome compile(MLIRContext &context, const std::string &text,
                DeviceKind device) {
  Outcome outcome;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      outcome.errors += diagnostic.str() + "\n" +
                        lineOf(text, diagnostic.getLocation()) + "\n";
  });
  ParserConfig config(&context);
  parsing = 1;
  auto module = parseSourceString<ModuleOp>(text, config, "grid.mlir");
  parsing = 0;
  if (!module)
    return outcome;
  CompileOptions options;
  options.device = device;
  options.cpu = "x86-64-v3";
  options.cache.enabled = false;
  outcome.compiled = succeeded(compileToProgram(*module, options));
  return outcome;
}

/// Exit statuses of a child that checks some types.
enum : int { AllRefused = 0, SomeCompiled = 10, Wrong = 11, InParser = 12 };

void endInParser(int number) {
  if (parsing)
    _exit(InParser);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

int check(const GridProgram &program, ArrayRef<StringLiteral> types,
          DeviceKind device) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  registry.insert<quant::QuantDialect, ub::UBDialect, LLVM::LLVMDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::signal(SIGSEGV, endInParser);
  std::signal(SIGABRT, endInParser);
  StringRef mnemonic = StringRef(program.operation).split('.').second;
  int status = AllRefused;
  for (StringRef type : types) {
    std::string text = instantiate(program, type);
    Outcome outcome = compile(context, text, device);
    StringRef errors = outcome.errors;
    if (outcome.compiled && errors.empty()) {
      status = std::max<int>(status, SomeCompiled);
      continue;
    }
    if (!outcome.compiled && !errors.empty() &&
        (errors.contains(mnemonic) || errors.contains(type) ||
         errors.contains("'linalg.") || errors.contains("'tensor.")))
      continue;
    llvm::errs() << "--- " << program.operation << " of " << type << ": "
                 << (outcome.compiled ? "compiled with errors"
                                      : "refused without a name")
                 << "\n"
                 << errors << text;
    status = Wrong;
  }
  return status;
}

bool isElementType(StringRef type) {
  return llvm::any_of(dtypeTable, [&](const DTypeInfo &info) {
    return StringRef(info.mlir) == type;
  });
}

/// The types that the program of this number is tried with.
SmallVector<StringLiteral> typesOf(size_t number) {
  SmallVector<StringLiteral> types;
  size_t ours = number;
  for (const StringLiteral &type : gridTypes())
    if (std::getenv("TRIPY_GRID_ALL") || !isElementType(type) ||
        ours++ % 3 == 0)
      types.push_back(type);
  return types;
}

/// Runs the grid; returns the operations of which no type compiled.
std::set<std::string> runGrid(DeviceKind device) {
  ChildLimits limits = {uint64_t(4) << 30, 300};
  std::set<std::string> refused;
  for (const auto &[number, program] : llvm::enumerate(gridPrograms())) {
    auto run = [&](ArrayRef<StringLiteral> types) {
      return runInChild("grid", limits,
                        [&] { return check(program, types, device); });
    };
    SmallVector<StringLiteral> types = typesOf(number);
    int status = run(types);
    if (status == SomeCompiled)
      continue;
    if (status == AllRefused) {
      refused.insert(program.operation);
      continue;
    }
    // Which type was it?
    bool some = false;
    for (const StringLiteral &type : types) {
      int one = run(type);
      some |= one == SomeCompiled;
      if (one != AllRefused && one != SomeCompiled && one != InParser)
        ADD_FAILURE() << program.operation << " of " << type.str()
                      << " ends with status " << one << "\n"
                      << instantiate(program, type);
    }
    if (!some)
      refused.insert(program.operation);
  }
  return refused;
}

/// What docs/linalg.md says is refused.
const std::set<std::string> neverCompiled = {"linalg.winograd_filter_transform",
                                             "linalg.winograd_input_transform",
                                             "linalg.winograd_output_transform",
                                             "tensor.bitcast",
                                             "tensor.gather",
                                             "tensor.insert",
                                             "tensor.parallel_insert_slice",
                                             "tensor.scatter"};

TEST(Grid, CompilesOrIsRefusedByNameOnTheCPU) {
  EXPECT_EQ(runGrid(DeviceKind::CPU), neverCompiled);
}

TEST(Grid, CompilesOrIsRefusedByNameForCUDA) {
  EXPECT_EQ(runGrid(DeviceKind::CUDA), neverCompiled);
}

} // namespace
