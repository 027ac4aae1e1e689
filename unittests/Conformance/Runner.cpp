//===- Runner.cpp - Compiles, runs and compares a case --------------------===//

#include "Runner.h"

#include "Compare.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Text.h"
#include "tripy/Conversion/Passes.h"
#include "tripy/Reference/Evaluator.h"
#include "tripy/Runtime/ExecutionContext.h"
#include "tripy/Runtime/IO/SafeTensors.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <fstream>
#include <list>

using namespace tripy;
using namespace tripy::conformance;

static mlir::DialectRegistry compilerDialects() {
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  return registry;
}

Runner::Runner()
    : context(compilerDialects()),
      handler(&context, [this](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          errors += diagnostic.str() + "\n";
        return mlir::success();
      }) {
  if (const char *target = std::getenv("TRIPY_CONFORMANCE_TARGET")) {
    Status status = options.setTarget(target);
    EXPECT_TRUE(status.isOk()) << status.message();
  }
  if (const char *cpu = std::getenv("TRIPY_CONFORMANCE_CPU"))
    options.cpu = cpu;
}

mlir::OwningOpRef<mlir::ModuleOp> Runner::parse(const Case &test) {
  errors.clear();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(test.text, &context);
  EXPECT_TRUE(module) << errors << test.text;
  return module;
}

//===-- the reference -----------------------------------------------------===//

Runner::Results Runner::expect(const Case &test) {
  auto module = parse(test);
  if (!module)
    return {};
  // The program as written: folding and fusion are under test, too.
  mlir::PassManager passes(&context);
  passes.addPass(createTraceToFlatIRPass());
  if (test.text.find("trace.") != std::string::npos &&
      mlir::failed(passes.run(*module))) {
    ADD_FAILURE() << errors << test.text;
    return {};
  }
  auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
  Results results;
  for (const std::vector<Tensor> &inputs : test.runs) {
    auto outputs = reference::evaluate(function, inputs);
    if (mlir::failed(outputs)) {
      ADD_FAILURE() << errors << test.text;
      return {};
    }
    // Constants are borrowed from the module, which goes.
    results.emplace_back();
    for (const Tensor &output : *outputs) {
      Tensor copy = *Tensor::create(output.dtype(), output.shape());
      std::memcpy(copy.mutableData(), output.data(), output.bytes());
      results.back().push_back(std::move(copy));
    }
  }
  return results;
}

//===-- compiler and runtime ----------------------------------------------===//

/// Memory of tensors that the runtime has in another layout.
using PackedBytes = std::list<std::vector<uint8_t>>;

static runtime::TensorView viewOf(const Tensor &tensor, PackedBytes &packed) {
  runtime::TensorView view;
  view.dtype = tensor.dtype();
  view.shape = runtime::Shape(
      std::span<const int64_t>(tensor.shape().data(), tensor.rank()));
  // Inputs are not written; outputs were made by this file.
  view.data = const_cast<void *>(tensor.data());
  if (isPacked(view.dtype)) {
    packed.emplace_back(*byteCount(view.dtype, tensor.elements()), 0x5a);
    view.data = packed.back().data();
  }
  return view;
}

/// What the runtime wrote; the half behind an odd number of elements is 0.
static Tensor readBack(const runtime::TensorView &view) {
  uint64_t elements = *view.shape.elements();
  if (elements % 2)
    EXPECT_EQ(static_cast<uint8_t *>(view.data)[elements / 2] >> 4, 0);
  std::span<const int64_t> sizes = view.shape.sizes();
  return *Tensor::fromRuntime(
      view.dtype, llvm::ArrayRef(sizes.data(), sizes.size()), view.data);
}

/// Runs with inputs; empty after a failure.
static std::vector<Tensor> runOnce(runtime::ExecutionContext &execution,
                                   const std::vector<Tensor> &inputs) {
  std::vector<runtime::TensorView> arguments, results;
  PackedBytes packed;
  for (const Tensor &input : inputs) {
    arguments.push_back(viewOf(input, packed));
    if (isPacked(input.dtype()))
      input.toRuntime(arguments.back().data);
  }
  const auto &outputs = execution.executable().program().outputs;
  std::vector<runtime::Shape> shapes(outputs.size());
  Status status = execution.outputShapes(arguments, shapes);
  std::vector<Tensor> tensors;
  for (size_t i = 0; status.isOk() && i < outputs.size(); ++i) {
    std::span<const int64_t> sizes = shapes[i].sizes();
    tensors.push_back(*Tensor::create(
        outputs[i].dtype, llvm::ArrayRef(sizes.data(), sizes.size())));
    // What a kernel leaves out is not there by chance.
    std::memset(tensors.back().mutableData(), 0x5a, tensors.back().bytes());
    results.push_back(viewOf(tensors.back(), packed));
  }
  if (status.isOk())
    status = execution.run(arguments, results);
  for (size_t i = 0; status.isOk() && i < outputs.size(); ++i)
    if (isPacked(outputs[i].dtype))
      tensors[i] = readBack(results[i]);
  if (status.isOk())
    return tensors;
  ADD_FAILURE() << status.message();
  return {};
}

std::vector<uint8_t> Runner::compile(const Case &test) {
  auto module = parse(test);
  if (!module)
    return {};
  auto bytes = compileToBytes(*module, options);
  if (mlir::succeeded(bytes))
    return std::move(*bytes);
  ADD_FAILURE() << errors << test.text;
  return {};
}

Runner::Results Runner::compute(const Case &test) {
  std::vector<uint8_t> bytes = compile(test);
  if (bytes.empty())
    return {};
  auto executable =
      runtime::Executable::loadBytes(bytes, {.trustHostCode = true});
  if (!executable) {
    ADD_FAILURE() << executable.status().message();
    return {};
  }
  auto execution = runtime::ExecutionContext::create(*executable);
  if (!execution) {
    ADD_FAILURE() << execution.status().message();
    return {};
  }
  Results results;
  for (const std::vector<Tensor> &inputs : test.runs)
    results.push_back(runOnce(**execution, inputs));
  return results;
}

//===-- for another machine -----------------------------------------------===//

void Runner::emit(const Case &test, const Results &expected,
                  const std::string &folder) {
  std::vector<uint8_t> bytes = compile(test);
  if (bytes.empty())
    return;
  PackedBytes none;
  // safetensors has no i4: of packed elements, each has a byte, as in the
  // evaluator.
  auto stored = [&none](const Tensor &tensor) {
    if (!isPacked(tensor.dtype()))
      return viewOf(tensor, none);
    return viewOf(Tensor::borrow(DType::I8, tensor.shape(), tensor.data()),
                  none);
  };
  std::vector<io::NamedTensor> tensors;
  io::Metadata metadata{{"runs", std::to_string(test.runs.size())}};
  for (size_t run = 0; run < test.runs.size(); ++run) {
    for (size_t i = 0; i < test.runs[run].size(); ++i)
      tensors.push_back(
          {concat("in.", run, ".", i), stored(test.runs[run][i])});
    for (size_t i = 0; i < expected[run].size(); ++i)
      tensors.push_back(
          {concat("out.", run, ".", i), stored(expected[run][i])});
  }
  for (size_t i = 0; i < test.tolerances.size(); ++i) {
    const Tolerance &t = test.tolerances[i];
    char text[96];
    std::snprintf(text, sizeof(text), "%u %g %g", t.ulp, t.relative,
                  t.absolute);
    metadata.emplace_back(concat("tolerance.", i), text);
    metadata.emplace_back(concat("label.", i), test.labels[i]);
  }
  std::string stem = folder + "/" + test.name;
  Status status =
      io::writeSafeTensors(stem + ".safetensors", tensors, metadata);
  auto file = FileWriter::create(stem + ".tpx");
  if (status.isOk())
    status = file ? file->write(bytes) : file.status();
  if (status.isOk())
    status = file->commit();
  EXPECT_TRUE(status.isOk()) << status.message();
}

//===-- comparison --------------------------------------------------------===//

static std::string compare(const Tensor &found, const Tensor &expected,
                           const Tolerance &tolerance) {
  if (found.dtype() != expected.dtype() || found.shape() != expected.shape())
    return "another type or shape";
  return compareElements(found.dtype(), found.elements(), found.data(),
                         expected.data(), tolerance);
}

//===-- for utils/check-conformance.py ------------------------------------===//

/// The element type that a row of docs/coverage.md is about: as
/// utils/coverage.py's source_of().
static mlir::Type subjectOf(mlir::Operation *op) {
  auto elementsOf = [](mlir::TypeRange types) {
    llvm::SmallVector<mlir::Type> elements;
    for (mlir::Type type : types)
      if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type))
        elements.push_back(tensor.getElementType());
    return elements;
  };
  auto isBool = [](mlir::Type type) { return type.isInteger(1); };
  auto operands = elementsOf(op->getOperandTypes());
  auto results = elementsOf(op->getResultTypes());
  bool isRandom = op->getName().getStringRef().contains(".random_") &&
                  llvm::none_of(results, isBool);
  if (operands.empty() || isRandom)
    return results.empty() ? mlir::Type() : results.front();
  if (llvm::none_of(results, isBool))
    for (mlir::Type type : operands)
      if (!isBool(type))
        return type;
  return operands.front();
}

void Runner::list(const Case &test, const std::string &file) {
  auto module = parse(test);
  if (!module)
    return;
  std::string lines;
  llvm::raw_string_ostream out(lines);
  module->walk([&](mlir::Operation *op) {
    if (mlir::Type type = subjectOf(op))
      out << op->getName() << '\t' << type << '\t' << test.name << '\n';
  });
  std::ofstream stream(file, std::ios::app);
  stream << lines;
  EXPECT_TRUE(stream.flush()) << file;
}

//===-- all of it ---------------------------------------------------------===//

void Runner::check(const Case &test) {
  SCOPED_TRACE(test.name);
  if (const char *file = std::getenv("TRIPY_CONFORMANCE_LIST"))
    return list(test, file);
  Results expected = expect(test);
  if (expected.empty())
    return;
  if (const char *folder = std::getenv("TRIPY_CONFORMANCE_EMIT"))
    return emit(test, expected, folder);
  Results found = compute(test);
  bool differs = false;
  for (size_t run = 0; run < found.size(); ++run) {
    EXPECT_EQ(found[run].size(), expected[run].size());
    for (size_t i = 0; i < found[run].size(); ++i) {
      std::string problem =
          compare(found[run][i], expected[run][i], test.tolerances[i]);
      differs |= !problem.empty();
      EXPECT_EQ(problem, "") << test.labels[i] << ", run " << run;
    }
  }
  if (differs && std::getenv("TRIPY_CONFORMANCE_PRINT"))
    ADD_FAILURE() << test.text;
}

void Runner::check(const std::vector<Case> &tests) {
  for (const Case &test : tests)
    check(test);
}
