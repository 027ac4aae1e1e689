//===- Plugin.cpp - Kernels that users bring, in MLIR ---------------------===//

#include "Plugin.h"

#include "Attributes.h"
#include "UserTerms.h"

#include "tripy/Compiler/Compiler.h"
#include "tripy/Dialect/Trace/Trace.h"
#include "tripy/Dialect/Tripy/Plugin.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <mutex>

using namespace mlir;
using namespace tripy;
using namespace tripy::frontend;

//===-- parts of the declaration ------------------------------------------===//

const PluginDeclaration &
tripy::frontend::declarationOf(const OperationView &call) {
  return *std::get<std::shared_ptr<const PluginDeclaration>>(
      call.attributes.front());
}

DictionaryAttr tripy::frontend::parametersOf(const OperationView &call,
                                             MLIRContext *context) {
  Builder b(context);
  NamedAttrList list;
  for (auto [parameter, value] : llvm::zip_equal(declarationOf(call).parameters,
                                                 call.attributes.subspan(1)))
    list.append(parameter.first,
                numberAttribute(std::get<TypedNumber>(value), b));
  return list.empty() ? DictionaryAttr() : list.getDictionary(context);
}

static SmallVector<Type> typesOf(const std::vector<TypeInfo> &list,
                                 MLIRContext *context) {
  return llvm::map_to_vector(
      list, [&](const TypeInfo &type) { return toMlir(type, context); });
}

/// Fills the region of the size function.
static void emitSizes(const PluginDeclaration &declaration, PluginOp plugin) {
  OpBuilder b(plugin.getContext());
  Location location = plugin.getLoc();
  Block *block = b.createBlock(&plugin.getSizes());
  SmallVector<Value> values;
  for (const TypeInfo &operand : declaration.operands)
    for (size_t dim = 0; dim < operand.sizes.size(); ++dim)
      values.push_back(block->addArgument(b.getIndexType(), location));
  for (const PluginSizeStep &step : declaration.steps) {
    OperationState state(location, StringRef(opInfo(step.op).name));
    state.addTypes(b.getIndexType());
    if (step.op == frontend::Op::SizeConstant)
      state.addAttribute("value", b.getIndexAttr(step.number));
    else
      state.addOperands({values[step.lhs], values[step.rhs]});
    values.push_back(b.create(state)->getResult(0));
  }
  auto chosen = [&](const std::vector<uint32_t> &numbers) {
    return llvm::map_to_vector(numbers,
                               [&](uint32_t number) { return values[number]; });
  };
  PluginSizesOp::create(
      b, location, chosen(declaration.shapes), chosen(declaration.grid),
      declaration.shared.empty() ? Value() : values[declaration.shared.front()],
      chosen(declaration.numbers));
}

/// Appends the only gpu.module of a text to `module`; its name there.
static FailureOr<FlatSymbolRefAttr>
emitModule(const PluginCode &source, Location location, ModuleOp module) {
  MLIRContext *context = module.getContext();
  ParserConfig config(context);
  OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(
      source.code, config, "text of '" + source.entry + "'");
  if (!parsed)
    return failure();
  Operation *only = llvm::hasSingleElement(*parsed->getBody())
                        ? &parsed->getBody()->front()
                        : nullptr;
  if (!only || only->getName().getStringRef() != "gpu.module")
    return emitError(location)
           << "the text of kernel '" << source.entry
           << "' has one gpu.module and nothing else; found "
           << std::distance(parsed->getBody()->begin(),
                            parsed->getBody()->end())
           << " operations";
  only->remove();
  return FlatSymbolRefAttr::get(SymbolTable(module).insert(only));
}

static FailureOr<PluginSourceAttr>
emitSource(const PluginCode &source, Location location, ModuleOp module) {
  Builder b(module.getContext());
  FlatSymbolRefAttr kernels;
  if (source.kind == "mlir") {
    FailureOr<FlatSymbolRefAttr> made = emitModule(source, location, module);
    if (failed(made))
      return failure();
    kernels = *made;
  }
  bool hasBytes = source.kind == "ptx" || source.kind == "cubin";
  SmallVector<StringAttr> arguments;
  for (const std::string &argument : source.arguments)
    arguments.push_back(b.getStringAttr(argument));
  return PluginSourceAttr::get(
      b.getContext(), source.kind, b.getStringAttr(source.entry), StringAttr(),
      hasBytes ? b.getStringAttr(source.code) : StringAttr(), kernels,
      source.kind == "c" ? b.getStringAttr(source.library) : StringAttr(),
      source.block, arguments);
}

FailureOr<PluginOp>
tripy::frontend::emitPlugin(const PluginDeclaration &declaration,
                            Location location, ModuleOp module) {
  OpBuilder b(module.getContext());
  SmallVector<Attribute> sources, names, types;
  for (const PluginCode &source : declaration.sources) {
    FailureOr<PluginSourceAttr> made = emitSource(source, location, module);
    if (failed(made))
      return failure();
    sources.push_back(*made);
  }
  for (const auto &[name, dtype] : declaration.parameters) {
    names.push_back(b.getStringAttr(name));
    types.push_back(TypeAttr::get(elementType(dtype, b.getContext())));
  }
  auto type = b.getFunctionType(typesOf(declaration.operands, b.getContext()),
                                typesOf(declaration.results, b.getContext()));
  auto plugin = PluginOp::create(
      b, location, b.getStringAttr(declaration.name), TypeAttr::get(type),
      names.empty() ? ArrayAttr() : b.getArrayAttr(names),
      types.empty() ? ArrayAttr() : b.getArrayAttr(types),
      b.getArrayAttr(sources));
  emitSizes(declaration, plugin);
  SymbolTable(module).insert(plugin);
  return plugin;
}

//===-- checks ------------------------------------------------------------===//

namespace {
/// A context for all threads, which take turns, and a program in it.
class Scratch {
public:
  Scratch()
      : lock(shared().mutex), context(&shared().context),
        handler(context,
                [this](Diagnostic &diagnostic) {
                  note(diagnostic);
                  return success();
                }),
        module(ModuleOp::create(UnknownLoc::get(context))) {}

  /// The first error that was reported.
  Status failure() const {
    return Status(Code::InvalidArgument,
                  message.empty() ? "the plugin is refused without a reason"
                                  : message);
  }
  /// Null where there is something wrong with the declaration.
  PluginOp declare(const PluginDeclaration &declaration) {
    FailureOr<PluginOp> plugin =
        emitPlugin(declaration, UnknownLoc::get(context), *module);
    // The verifier alone looks into the size function and a gpu.module.
    return succeeded(plugin) && succeeded(mlir::verify(*module)) ? *plugin
                                                                 : PluginOp();
  }

private:
  struct Shared {
    Shared() : context(registry(), MLIRContext::Threading::DISABLED) {
      context.loadDialect<trace::TraceDialect, arith::ArithDialect,
                          func::FuncDialect, TripyDialect>();
    }
    static DialectRegistry registry() {
      DialectRegistry dialects;
      registerCompilerDialects(dialects);
      return dialects;
    }
    std::mutex mutex;
    MLIRContext context;
  };
  static Shared &shared() {
    static Shared *made = new Shared; // lives as long as the process
    return *made;
  }

  void note(Diagnostic &diagnostic) {
    if (!message.empty())
      return;
    message = diagnostic.str();
    size_t rule = message.find("violates [");
    if (rule != std::string::npos)
      message.erase(0, rule);
    auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
    // A line of the text that the user gave, which is MLIR.
    if (!place)
      message = inUserTerms(message);
    else
      message = (place.getFilename().getValue() + ", line " +
                 Twine(place.getLine()) + ": " + message)
                    .str();
  }

  std::lock_guard<std::mutex> lock;
  std::string message;

public:
  MLIRContext *context;

private:
  ScopedDiagnosticHandler handler;

public:
  OwningOpRef<ModuleOp> module;
};
} // namespace

Status tripy::frontend::checkPlugin(const PluginDeclaration &declaration) {
  Scratch scratch;
  return scratch.declare(declaration) ? Status::ok() : scratch.failure();
}

Result<std::vector<TypeInfo>>
tripy::frontend::inferPluginTypes(const OperationView &call,
                                  std::span<const TypeInfo *const> operands) {
  Scratch scratch;
  PluginOp plugin = scratch.declare(declarationOf(call));
  if (!plugin)
    return scratch.failure();
  SmallVector<Type> types;
  for (const TypeInfo *type : operands)
    types.push_back(toMlir(*type, scratch.context));
  DictionaryAttr parameters = parametersOf(call, scratch.context);
  OpBuilder b = OpBuilder::atBlockEnd(scratch.module->getBody());
  Location location = UnknownLoc::get(scratch.context);
  auto function =
      func::FuncOp::create(b, location, "caller", b.getFunctionType(types, {}));
  b.setInsertionPointToEnd(function.addEntryBlock());
  bool isTaken = takesOperands(plugin, types);
  SmallVector<Type> results =
      isTaken ? resultTypes(plugin, types) : SmallVector<Type>();
  auto made = trace::PluginOp::create(
      b, location, results,
      FlatSymbolRefAttr::get(scratch.context, plugin.getSymName()),
      function.getArguments(), parameters);
  if (failed(trace::PluginOp::checkRules(made,
                                         [&] { return made.emitOpError(); })))
    return scratch.failure();
  std::vector<TypeInfo> list;
  for (Type type : results)
    list.push_back(fromMlir(type));
  return list;
}
