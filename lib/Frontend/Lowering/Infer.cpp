//===- Infer.cpp - Result types of one operation --------------------------===//
//
// Asks the operation's own definition, in a context that the process keeps:
// the operands are arguments of a block that holds nothing else.
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"
#include "Plugin.h"
#include "UserTerms.h"

#include "tripy/Dialect/Trace/Trace.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include <memory>
#include <mutex>

using namespace mlir;
using namespace tripy;
using namespace tripy::frontend;

namespace {

/// The properties of an operation that does not exist.
class Properties {
public:
  explicit Properties(RegisteredOperationName name)
      : name(name),
        memory(std::make_unique<std::max_align_t[]>(
            name.getOpPropertyByteSize() / sizeof(std::max_align_t) + 1)) {
    name.initOpProperties(get(), OpaqueProperties(nullptr));
  }
  ~Properties() { name.destroyOpProperties(get()); }
  Properties(const Properties &) = delete;
  Properties &operator=(const Properties &) = delete;

  OpaqueProperties get() { return OpaqueProperties(memory.get()); }
  LogicalResult assign(DictionaryAttr attributes) {
    if (name.getOpPropertyByteSize() == 0)
      return success();
    return name.setOpPropertiesFromAttribute(
        name, get(), attributes, [this] { return emitErrorOf(name); });
  }
  static InFlightDiagnostic emitErrorOf(RegisteredOperationName name) {
    return emitError(UnknownLoc::get(name.getContext()));
  }

private:
  RegisteredOperationName name;
  std::unique_ptr<std::max_align_t[]> memory;
};

/// One context for all threads, which take turns.
struct Inference {
  Inference() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<trace::TraceDialect, arith::ArithDialect>();
  }
  std::mutex mutex;
  MLIRContext context;
};

} // namespace

/// "'trace.add' op violates [trace.add C2] text" -> "violates ...".
static std::string withoutName(std::string text) {
  size_t at = text.find("violates [");
  return at == std::string::npos ? text : text.substr(at);
}

Result<std::vector<TypeInfo>>
tripy::frontend::inferTypes(const OperationView &operation,
                            std::span<const TypeInfo *const> operands) {
  if (operation.op == frontend::Op::Plugin)
    return inferPluginTypes(operation, operands);
  static Inference *inference = new Inference; // lives as long as the process
  std::lock_guard lock(inference->mutex);
  MLIRContext *context = &inference->context;
  std::string message;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (message.empty())
      message = diagnostic.str();
    return success();
  });
  StringRef text(opInfo(operation.op).name);
  auto name = RegisteredOperationName::lookup(text, context);
  if (!name)
    return Status(Code::Internal, "no operation '" + text.str() + "'");
  Block block;
  for (const TypeInfo *type : operands)
    block.addArgument(toMlir(*type, context), UnknownLoc::get(context));
  Properties properties(*name);
  DictionaryAttr attributes = toMlir(operation, *name);
  auto *infer = name->getInterface<InferTypeOpInterface>();
  SmallVector<Type> types;
  if (!infer)
    return Status(Code::Internal, "no types of '" + text.str() + "'");
  if (failed(properties.assign(attributes)) ||
      failed(infer->inferReturnTypes(context, UnknownLoc::get(context),
                                     block.getArguments(), attributes,
                                     properties.get(), {}, types)))
    return Status(Code::InvalidArgument, inUserTerms(withoutName(message)));
  std::vector<TypeInfo> results;
  for (Type type : types)
    results.push_back(fromMlir(type));
  return results;
}
