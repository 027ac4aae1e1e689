//===- Emit.cpp - A graph as a module of trace ----------------------------===//
//
// One operation for each step, at the user's line; and the compiler's result.
//
//===----------------------------------------------------------------------===//

#include "../Log.h"
#include "Attributes.h"
#include "Dump.h"
#include "Plugin.h"
#include "Progress.h"
#include "UserTerms.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Text.h"
#include "tripy/Compiler/Compiler.h"
#include "tripy/Dialect/Common/TensorTypes.h"
#include "tripy/Dialect/Trace/Trace.h"
#include "tripy/Dialect/Tripy/Tripy.h"
#include "tripy/ToolSupport/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <mutex>

using namespace mlir;
using namespace tripy;
using namespace tripy::frontend;

static_assert(dynamicSize == ShapedType::kDynamic);

/// Constants of fewer bytes are part of the IR.
static constexpr size_t minResourceBytes = 1024;

/// "in add()" at a line, with the name of the tensor.
static Location locationOf(const Place &place, StringRef name,
                           MLIRContext *context) {
  if (place.line == 0)
    return NameLoc::get(StringAttr::get(context, "graph"));
  Location location = FileLineColLoc::get(context, StringRef(place.file),
                                          place.line, place.column);
  if (*place.function)
    location = NameLoc::get(
        StringAttr::get(context, llvm::Twine(place.function) + "()"), location);
  if (!name.empty())
    location = NameLoc::get(StringAttr::get(context, name), location);
  if (!place.callers)
    return location;
  for (const Place &caller : *place.callers)
    location =
        CallSiteLoc::get(location, locationOf(caller, /*name=*/"", context));
  return location;
}

namespace {

/// Builds the function "main" of a program.
class Emitter {
public:
  Emitter(const GraphProgram &program, MLIRContext *context)
      : program(program), context(context), b(context) {}

  /// Null where it has reported why.
  OwningOpRef<ModuleOp> emit();

private:
  void emitFunction();
  void describeInput(func::FuncOp function, unsigned argument,
                     const ProgramInput &input);
  Value emitConstant(const ProgramInput &input);
  void emitStep(const ProgramStep &step);
  /// The symbol of a declaration that `call` has; inserts it once.
  FlatSymbolRefAttr declare(const OperationView &call);

  const GraphProgram &program;
  MLIRContext *context;
  OpBuilder b;
  std::vector<Value> values;
  ModuleOp module;
  llvm::StringMap<FlatSymbolRefAttr> plugins;
  bool isRefused = false;
};

} // namespace

OwningOpRef<ModuleOp> Emitter::emit() {
  OwningOpRef<ModuleOp> made = ModuleOp::create(UnknownLoc::get(context));
  module = *made;
  emitFunction();
  return isRefused ? OwningOpRef<ModuleOp>() : std::move(made);
}

void Emitter::emitFunction() {
  SmallVector<Type> arguments, results;
  std::vector<const TypeInfo *> types;
  for (const ProgramInput &input : program.inputs) {
    types.push_back(input.type);
    if (!input.constant)
      arguments.push_back(toMlir(*input.type, context));
  }
  for (const ProgramStep &step : program.steps)
    types.insert(types.end(), step.results.begin(), step.results.end());
  for (uint32_t output : program.outputs)
    results.push_back(toMlir(*types[output], context));
  b.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(b, module.getLoc(), "main",
                                       b.getFunctionType(arguments, results));
  Block *body = function.addEntryBlock();
  b.setInsertionPointToStart(body);
  unsigned next = 0;
  for (const ProgramInput &input : program.inputs) {
    if (input.constant) {
      values.push_back(emitConstant(input));
      continue;
    }
    BlockArgument argument = body->getArgument(next);
    argument.setLoc(locationOf(input.place, input.name, context));
    values.push_back(argument);
    describeInput(function, next++, input);
  }
  for (const ProgramStep &step : program.steps)
    emitStep(step);
  SmallVector<Value> returned;
  for (auto [i, output] : llvm::enumerate(program.outputs)) {
    returned.push_back(values[output]);
    if (i < program.outputNames.size() && !program.outputNames[i].empty())
      function.setResultAttr(i, nameAttrName,
                             b.getStringAttr(program.outputNames[i]));
  }
  func::ReturnOp::create(b, module.getLoc(), returned);
}

void Emitter::describeInput(func::FuncOp function, unsigned argument,
                            const ProgramInput &input) {
  if (!input.name.empty())
    function.setArgAttr(argument, nameAttrName, b.getStringAttr(input.name));
  if (!input.path.empty())
    function.setArgAttr(argument, pathAttrName, b.getStringAttr(input.path));
  if (input.isParameter)
    function.setArgAttr(argument, parameterAttrName, b.getUnitAttr());
  if (!input.smallest.empty())
    function.setArgAttr(
        argument, profileAttrName,
        ProfileAttr::get(context, input.smallest, input.usual, input.largest));
  if (!input.dimensions.empty()) {
    SmallVector<Attribute> names;
    for (const std::string &name : input.dimensions)
      names.push_back(b.getStringAttr(name));
    function.setArgAttr(argument, dimsAttrName, b.getArrayAttr(names));
  }
}

Value Emitter::emitConstant(const ProgramInput &input) {
  auto type = cast<RankedTensorType>(toMlir(*input.type, context));
  size_t bytes = bytesOf(type.getElementType(), type.getNumElements());
  ArrayRef<char> data(static_cast<const char *>(input.constant), bytes);
  ElementsAttr value;
  if (bytes >= minResourceBytes) {
    // Neither copied nor hashed: the elements outlive the compilation.
    value = DenseResourceElementsAttr::get(
        type, input.name.empty() ? "constant" : input.name,
        UnmanagedAsmResourceBlob::allocateInferAlign(data));
  } else if (type.getElementType().isInteger(1)) {
    SmallVector<bool> bits(data.begin(), data.end());
    value = DenseElementsAttr::get(type, bits);
  } else if (isPacked(input.type->dtype)) {
    SmallVector<APInt> elements;
    for (int64_t i = 0, n = type.getNumElements(); i < n; ++i)
      elements.emplace_back(4, uint64_t(unpackI4(data[i / 2], i % 2)),
                            /*isSigned=*/true);
    value = DenseElementsAttr::get(type, elements);
  } else {
    value = DenseElementsAttr::getFromRawBuffer(type, data);
  }
  return trace::ConstantOp::create(
      b, locationOf(input.place, input.name, context), value);
}

FlatSymbolRefAttr Emitter::declare(const OperationView &call) {
  const PluginDeclaration &declaration = declarationOf(call);
  FlatSymbolRefAttr &symbol = plugins[declaration.identity];
  if (symbol)
    return symbol;
  FailureOr<PluginOp> plugin = emitPlugin(
      declaration, locationOf(declaration.place, "", context), module);
  isRefused |= failed(plugin);
  symbol = FlatSymbolRefAttr::get(context, succeeded(plugin)
                                               ? plugin->getSymName()
                                               : StringRef(declaration.name));
  return symbol;
}

void Emitter::emitStep(const ProgramStep &step) {
  StringRef text(opInfo(step.operation.op).name);
  auto name = *RegisteredOperationName::lookup(text, context);
  OperationState state(locationOf(step.place, step.name, context), name);
  for (uint32_t operand : step.operands)
    state.operands.push_back(values[operand]);
  for (const TypeInfo *type : step.results)
    state.types.push_back(toMlir(*type, context));
  if (step.operation.op == frontend::Op::Plugin) {
    state.addAttribute("callee", declare(step.operation));
    if (DictionaryAttr parameters = parametersOf(step.operation, context))
      state.addAttribute("parameters", parameters);
  } else {
    state.attributes = toMlir(step.operation, name);
  }
  Operation *op = b.create(state);
  for (Value result : op->getResults())
    values.push_back(result);
}

//===-- the compiler ------------------------------------------------------===//

namespace {

/// A context with the compiler's dialects, and what it reported. Lines of
/// `files` may be quoted.
struct Session {
  explicit Session(bool threads = false, ArrayRef<std::string> files = {},
                   bool hasProfile = false)
      : hasProfile(hasProfile),
        context(registry(), threads ? MLIRContext::Threading::ENABLED
                                    : MLIRContext::Threading::DISABLED),
        stream(text), printer(&context, stream, /*sources=*/nullptr, files),
        remarks(&context, [](Diagnostic &diagnostic) {
          return success(diagnostic.getSeverity() ==
                         DiagnosticSeverity::Remark);
        }) {
    // Operations are looked up by name.
    context.loadDialect<trace::TraceDialect, arith::ArithDialect,
                        func::FuncDialect, TripyDialect>();
  }
  static DialectRegistry registry() {
    DialectRegistry dialects;
    registerCompilerDialects(dialects);
    return dialects;
  }
  /// What was reported.
  std::string userText() const {
    return diagnosticsInUserTerms(text, hasProfile);
  }
  Status failure() {
    return Status(Code::InvalidArgument,
                  text.empty() ? "the compiler failed without a reason"
                               : userText());
  }

  bool hasProfile;
  MLIRContext context;
  std::string text;
  llvm::raw_string_ostream stream;
  UserDiagnosticHandler printer;
  /// Nobody has asked for them.
  ScopedDiagnosticHandler remarks;
};

} // namespace

/// The files of the user's program that its operations are from.
static std::vector<std::string> filesOf(const GraphProgram &program) {
  llvm::StringSet<> files;
  auto add = [&](const Place &place) {
    files.insert(place.file);
    if (place.callers)
      for (const Place &caller : *place.callers)
        files.insert(caller.file);
  };
  for (const ProgramInput &input : program.inputs)
    add(input.place);
  for (const ProgramStep &step : program.steps)
    add(step.place);
  std::vector<std::string> names;
  for (StringRef file : files.keys())
    names.push_back(file.str());
  return names;
}

/// What the compiler's library is told; errors name the setting.
static Status applySettings(const LoweringOptions &options,
                            CompileOptions &compile) {
  if (Status status = compile.setTarget(options.target); !status.isOk())
    return status;
  auto refuse = [](std::string text) {
    return Status(Code::InvalidArgument, std::move(text));
  };
  bool isCuda = compile.device == DeviceKind::CUDA;
  if (isCuda && options.cpu != "native")
    return refuse("the setting 'cpu' is for the target cpu; found the target " +
                  options.target);
  if (Result<target::HostTarget> host = target::findHostTarget(options.cpu);
      !host)
    return host.status();
  std::optional<Backends> backends = parseBackends(options.backends);
  if (!backends)
    return refuse("the setting 'backends' is own, auto or libraries; found '" +
                  options.backends + "'");
  if (!isCuda && *backends != Backends::Own)
    return refuse("the setting 'backends' is for CUDA; found the target " +
                  options.target);
  if (!isCuda && !(options.tuningFile + options.tuningDevice).empty())
    return refuse("the settings 'tuningFile' and 'tuningDevice' are for CUDA; "
                  "found the target " +
                  options.target);
  // The compiler would go on without it.
  if (!options.tuningFile.empty())
    if (Result<std::vector<uint8_t>> file = readFile(options.tuningFile); !file)
      return Status(file.status()).withContext("the setting 'tuningFile'");
  compile.cpu = options.cpu;
  compile.backends = *backends;
  compile.tuningFile = options.tuningFile;
  compile.tuningDevice = options.tuningDevice;
  compile.strictShapes = options.strictShapes;
  compile.verify = options.verify;
  return Status::ok();
}

/// Each text once in a process: eager evaluation compiles many programs, and
/// says of each what the machine lacks.
static void logWarnings(StringRef text) {
  // Never freed: threads may compile while the process ends.
  static auto &mutex = *new std::mutex;
  static auto &logged = *new llvm::StringSet<>;
  constexpr unsigned maxTexts = 256;
  text = text.rtrim('\n');
  text.consume_front("warning: ");
  std::lock_guard lock(mutex);
  if (logged.size() < maxTexts && logged.insert(text).second)
    log(LogComponent::Compile, LogLevel::Warning, text);
}

Result<std::vector<uint8_t>>
tripy::frontend::compileGraph(const GraphProgram &program,
                              const LoweringOptions &options) {
  CompileOptions compile;
  if (Status status = applySettings(options, compile); !status.isOk())
    return status;
  ProgressReporter progress(options.progress);
  if (options.progress)
    progress.watch(compile);
  bool hasProfile = llvm::any_of(program.inputs, [](const ProgramInput &input) {
    return !input.smallest.empty();
  });
  Session session(options.threads, filesOf(program), hasProfile);
  OwningOpRef<ModuleOp> module = Emitter(program, &session.context).emit();
  if (!module || failed(mlir::verify(*module)))
    return session.failure();
  session.printer.remember(*module);
  if (Status status = dumpLevels(*module, compile); !status.isOk())
    return status;
  LogTimer timer;
  FailureOr<std::vector<uint8_t>> bytes = compileToBytes(*module, compile);
  if (succeeded(bytes))
    progress.finish();
  if (progress.isCancelled())
    return Status(Code::Cancelled, "the compilation was cancelled");
  if (failed(bytes))
    return session.failure();
  if (!session.text.empty() && options.warnings)
    options.warnings(session.userText());
  else if (!session.text.empty())
    logWarnings(session.userText());
  log(LogComponent::Compile, LogLevel::Info,
      concat("a program of ", program.steps.size(), " operations for ",
             options.target, " in ", timer.text()));
  return std::move(*bytes);
}

/// To be raised when structures are written in another way.
static constexpr std::string_view structureVersion = "eager 1";

std::string tripy::frontend::programKey(std::string_view structure,
                                        const LoweringOptions &options) {
  // Never freed: threads may compile while the process ends.
  static const auto &compiler = *new std::string(target::compilerIdentity());
  static const auto &host = *new std::string([] {
    Result<target::HostTarget> found = target::findHostTarget("native");
    return found ? found->cpu + " " + found->arch() : std::string();
  }());
  if (compiler.empty() || host.empty())
    return "";
  std::string_view parts[] = {structureVersion, compiler, host, options.target,
                              structure};
  return target::CacheKey::of(parts).str();
}

std::string tripy::frontend::programFolder() {
  std::string folder = target::cacheFolder({});
  return folder.empty() ? "" : folder + "/programs";
}

Result<std::string> tripy::frontend::printGraph(const GraphProgram &program) {
  Session session;
  OwningOpRef<ModuleOp> module = Emitter(program, &session.context).emit();
  if (!module || failed(mlir::verify(*module)))
    return session.failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}
