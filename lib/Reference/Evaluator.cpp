//===- Evaluator.cpp - Runs flatir programs -------------------------------===//
//
// Walks over a function, and into composites, with a stack of its own: the
// nesting of a program never becomes recursion. A tensor lives until its last
// use.
//
//===----------------------------------------------------------------------===//

#include "tripy/Reference/Evaluator.h"

#include "Context.h"
#include "tripy/Base/CheckedMath.h"
#include "tripy/Base/Text.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <cstring>

using namespace mlir;
using namespace tripy;
using namespace tripy::reference;

//===-- limits ------------------------------------------------------------===//

std::optional<Tensor> Context::allocate(Operation *op, DType dtype,
                                        ArrayRef<int64_t> shape) {
  std::optional<int64_t> volume = volumeOf(shape);
  std::optional<uint64_t> bytes =
      volume ? checkedMul<uint64_t>(*volume, dtypeSize(dtype)) : std::nullopt;
  bool fits =
      bytes && *bytes <= options.maxBytes && *live <= options.maxBytes - *bytes;
  std::optional<Tensor> tensor;
  if (fits)
    tensor = Tensor::create(dtype, shape, live);
  if (!tensor)
    (void)fail(op, "tensors that are alive together take at most " +
                       formatBytes(options.maxBytes) + "; found " +
                       formatBytes(*live) + " and one of shape " +
                       formatSizes({shape.data(), shape.size()}) + " of " +
                       std::string(dtypeName(dtype)));
  return tensor;
}

LogicalResult Context::spend(Operation *op, uint64_t count) {
  std::optional<uint64_t> sum = checkedAdd(steps, count);
  if (!sum || *sum > options.maxSteps)
    return fail(op, "the reference evaluator does at most " +
                        Twine(options.maxSteps) +
                        " scalar operations; this program needs more");
  steps = *sum;
  return success();
}

LogicalResult Context::fail(Operation *op, const Twine &message) {
  if (!quiet)
    op->emitError(message);
  return failure();
}

//===-- one operation -----------------------------------------------------===//

static std::optional<Tensor> evaluateTensor(Context &context, Operation *op,
                                            ArrayRef<Datum> operands) {
  if (auto plugin = dyn_cast<flatir::PluginOp>(op)) {
    (void)context.fail(op, "the reference evaluator knows what operations "
                           "mean; what the plugin '@" +
                               plugin.getCallee() +
                               "' means, its kernel alone says");
    return std::nullopt;
  }
  if (isMovementOp(op))
    return evaluateMovement(context, op, operands);
  if (isa<flatir::WindowOp>(op))
    return evaluateWindow(context, op, operands);
  if (isa<flatir::RandomBitsOp>(op))
    return evaluateRandomBits(context, op, operands);
  if (isa<flatir::SortOp>(op))
    return evaluateSort(context, op, operands);
  if (isElementwiseOp(op))
    return evaluateElementwise(context, op, operands);
  if (isReductionOp(op))
    return evaluateReduction(context, op, operands);
  (void)context.fail(op, "the reference evaluator knows flatir and arith on "
                         "index; found '" +
                             op->getName().getStringRef() + "'");
  return std::nullopt;
}

/// Operands of dynamic sizes may give what the result's type excludes.
static LogicalResult checkResult(Context &context, Operation *op,
                                 const Tensor &tensor) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (auto [declared, found] : llvm::zip(type.getShape(), tensor.shape()))
    if (!ShapedType::isDynamic(declared) && declared != found)
      return context.fail(
          op, "the result has the declared shape; found " +
                  formatSizes({tensor.shape().data(), tensor.shape().size()}));
  return success();
}

FailureOr<SmallVector<Datum>> reference::evaluateOp(Context &context,
                                                    Operation *op,
                                                    ArrayRef<Datum> operands) {
  if (isIndexOp(op)) {
    std::optional<int64_t> value = evaluateIndex(context, op, operands);
    if (!value)
      return failure();
    SmallVector<Datum> results;
    if (op->getNumResults() == 1)
      results.push_back(*value);
    return results;
  }
  std::optional<Tensor> tensor = evaluateTensor(context, op, operands);
  if (!tensor || failed(checkResult(context, op, *tensor)))
    return failure();
  return SmallVector<Datum>{std::move(*tensor)};
}

//===-- the walk ----------------------------------------------------------===//

namespace {
class Interpreter {
public:
  explicit Interpreter(Context &context) : context(context) {}

  /// Runs a block to its terminator and returns what that yields.
  FailureOr<SmallVector<Datum>> run(Block &block, ArrayRef<Datum> arguments);

private:
  struct Frame {
    Block::iterator next;
    /// Where the results go; null for the outermost block.
    Operation *parent;
  };

  void enter(Block &block, Operation *parent, ArrayRef<Datum> arguments);
  void define(Value value, const Datum &datum);
  FailureOr<SmallVector<Datum>> take(Operation *op);

  struct Live {
    Datum datum;
    /// Uses to come.
    int64_t uses;
  };
  Context &context;
  llvm::DenseMap<Value, Live> values;
  SmallVector<Frame> frames;
};
} // namespace

void Interpreter::define(Value value, const Datum &datum) {
  int64_t uses = llvm::range_size(value.getUses());
  if (uses)
    values.insert_or_assign(value, Live{datum, uses});
}

void Interpreter::enter(Block &block, Operation *parent,
                        ArrayRef<Datum> arguments) {
  for (auto [argument, datum] : llvm::zip(block.getArguments(), arguments))
    define(argument, datum);
  frames.push_back({block.begin(), parent});
}

/// The operands of `op`, which are used hereby.
FailureOr<SmallVector<Datum>> Interpreter::take(Operation *op) {
  SmallVector<Datum> operands;
  for (Value operand : op->getOperands()) {
    auto it = values.find(operand);
    if (it == values.end())
      return context.fail(op, "operands are computed before they are used; "
                              "found one from elsewhere");
    operands.push_back(it->second.datum);
    if (--it->second.uses == 0)
      values.erase(it);
  }
  return operands;
}

FailureOr<SmallVector<Datum>> Interpreter::run(Block &block,
                                               ArrayRef<Datum> arguments) {
  enter(block, nullptr, arguments);
  while (true) {
    Operation *op = &*frames.back().next++;
    FailureOr<SmallVector<Datum>> operands = take(op);
    if (failed(operands))
      return failure();
    if (isa<flatir::YieldOp, func::ReturnOp>(op)) {
      Operation *parent = frames.back().parent;
      frames.pop_back();
      if (!parent)
        return operands;
      for (auto [result, datum] : llvm::zip(parent->getResults(), *operands))
        define(result, datum);
      continue;
    }
    if (auto composite = dyn_cast<flatir::CompositeOp>(op)) {
      enter(composite.getBody().front(), op, *operands);
      continue;
    }
    if (op->hasTrait<OpTrait::IsTerminator>())
      return context.fail(op, "a program is one block that ends in "
                              "'func.return'; found '" +
                                  op->getName().getStringRef() + "'");
    FailureOr<SmallVector<Datum>> results = evaluateOp(context, op, *operands);
    if (failed(results))
      return failure();
    for (auto [result, datum] : llvm::zip(op->getResults(), *results))
      define(result, datum);
  }
}

//===-- inputs ------------------------------------------------------------===//

/// What an input that is a size holds.
static int64_t valueOfSize(const Tensor &input) {
  int64_t value = 0;
  std::memcpy(&value, input.data(), sizeof(value));
  return value;
}

namespace {
/// Checks what the runtime checks of a program's inputs, too.
class InputCheck {
public:
  InputCheck(Context &context, func::FuncOp function, ArrayRef<Tensor> inputs)
      : context(context), function(function), inputs(inputs) {}

  LogicalResult check();

private:
  LogicalResult checkInput(unsigned index);
  LogicalResult checkSizeInput(unsigned index);
  LogicalResult checkSize(unsigned index, int64_t dim, int64_t declared,
                          ProfileAttr profile);
  LogicalResult checkNames(unsigned index);
  std::string name(unsigned index) const {
    func::FuncOp op = function;
    return "input '" + argumentName(op, index) + "'";
  }
  LogicalResult fail(const Twine &message) {
    return context.fail(function, message);
  }

  Context &context;
  func::FuncOp function;
  ArrayRef<Tensor> inputs;
  /// The size that a named dimension has.
  llvm::StringMap<int64_t> named;
};
} // namespace

LogicalResult InputCheck::check() {
  if (inputs.size() != function.getNumArguments())
    return fail("the program has " + Twine(function.getNumArguments()) +
                " inputs; found " + Twine(inputs.size()));
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (failed(checkInput(i)) || failed(checkNames(i)))
      return failure();
  return success();
}

/// An `index` is passed as the runtime wants it: one i64.
LogicalResult InputCheck::checkSizeInput(unsigned index) {
  const Tensor &input = inputs[index];
  if (input.dtype() != DType::I64 || input.rank() != 0)
    return fail(name(index) + " is a size, one i64 of rank 0; found " +
                std::string(dtypeName(input.dtype())) + " of rank " +
                Twine(input.rank()));
  int64_t value = valueOfSize(input);
  ProfileAttr profile = profileOf(function, index);
  if (profile && (value < profile.getMin()[0] || value > profile.getMax()[0]))
    return fail(name(index) + " is in the range " + Twine(profile.getMin()[0]) +
                " to " + Twine(profile.getMax()[0]) + "; found " +
                Twine(value));
  return success();
}

LogicalResult InputCheck::checkInput(unsigned index) {
  if (function.getArgument(index).getType().isIndex())
    return checkSizeInput(index);
  auto type = dyn_cast<RankedTensorType>(function.getArgument(index).getType());
  std::optional<DType> dtype =
      type ? dtypeOf(type.getElementType()) : std::nullopt;
  if (!dtype)
    return fail(name(index) + " is a tensor; found another type");
  const Tensor &input = inputs[index];
  if (input.dtype() != *dtype)
    return fail(name(index) + " is " + std::string(dtypeName(*dtype)) +
                "; found " + std::string(dtypeName(input.dtype())));
  if (input.rank() != type.getRank())
    return fail(name(index) + " has rank " + Twine(type.getRank()) +
                "; found " + Twine(input.rank()));
  ProfileAttr profile = profileOf(function, index);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (failed(checkSize(index, dim, type.getDimSize(dim), profile)))
      return failure();
  return success();
}

LogicalResult InputCheck::checkSize(unsigned index, int64_t dim,
                                    int64_t declared, ProfileAttr profile) {
  int64_t found = inputs[index].shape()[dim];
  std::string what = name(index) + " dimension " + std::to_string(dim);
  if (!ShapedType::isDynamic(declared) && declared != found)
    return fail(what + " is " + Twine(declared) + "; found " + Twine(found));
  if (profile && ShapedType::isDynamic(declared) &&
      (found < profile.getMin()[dim] || found > profile.getMax()[dim]))
    return fail(what + " is in the range " + Twine(profile.getMin()[dim]) +
                " to " + Twine(profile.getMax()[dim]) + "; found " +
                Twine(found));
  return success();
}

LogicalResult InputCheck::checkNames(unsigned index) {
  auto names = function.getArgAttrOfType<ArrayAttr>(index, dimsAttrName);
  if (!names)
    return success();
  for (auto [dim, attr] : llvm::enumerate(names)) {
    auto dimName = dyn_cast<StringAttr>(attr);
    bool isSize = function.getArgument(index).getType().isIndex();
    if (!dimName || dimName.empty() ||
        (!isSize && static_cast<int64_t>(dim) >= inputs[index].rank()))
      continue;
    int64_t found =
        isSize ? valueOfSize(inputs[index]) : inputs[index].shape()[dim];
    auto [it, isNew] = named.try_emplace(dimName, found);
    if (it->second != found)
      return fail("dimensions named '" + dimName.getValue() +
                  "' are equal; found " + Twine(it->second) + " and, of " +
                  name(index) + ", " + Twine(found));
  }
  return success();
}

//===-- entry points ------------------------------------------------------===//

FailureOr<SmallVector<Tensor>>
reference::evaluate(func::FuncOp function, ArrayRef<Tensor> inputs,
                    const EvaluateOptions &options) {
  Context context(options, /*quiet=*/false);
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return context.fail(function, "a program is one block that ends in "
                                  "'func.return'; found another form");
  if (failed(InputCheck(context, function, inputs).check()))
    return failure();
  SmallVector<Datum> arguments;
  for (auto [argument, input] : llvm::zip(function.getArguments(), inputs))
    arguments.push_back(argument.getType().isIndex() ? Datum(valueOfSize(input))
                                                     : Datum(input));
  FailureOr<SmallVector<Datum>> results =
      Interpreter(context).run(function.getBody().front(), arguments);
  if (failed(results))
    return failure();
  SmallVector<Tensor> tensors;
  for (Datum &result : *results) {
    if (!std::holds_alternative<Tensor>(result))
      return context.fail(function, "results of a program are tensors; found "
                                    "an index");
    tensors.push_back(std::get<Tensor>(std::move(result)));
  }
  return tensors;
}

FailureOr<SmallVector<Tensor>>
reference::evaluateQuietly(Operation *op, ArrayRef<Tensor> operands,
                           const EvaluateOptions &options) {
  Context context(options, /*quiet=*/true);
  SmallVector<Datum> data(operands.begin(), operands.end());
  auto composite = dyn_cast<flatir::CompositeOp>(op);
  FailureOr<SmallVector<Datum>> results =
      composite ? Interpreter(context).run(composite.getBody().front(), data)
                : evaluateOp(context, op, data);
  if (failed(results))
    return failure();
  SmallVector<Tensor> tensors;
  for (Datum &result : *results) {
    if (!std::holds_alternative<Tensor>(result))
      return failure();
    tensors.push_back(std::get<Tensor>(std::move(result)));
  }
  return tensors;
}
