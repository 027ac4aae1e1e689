//===- Attention.cpp - Attention that a kernel takes whole ----------------===//
//
// A composite "attention" whose types kernels know becomes kernel.attention, in
// place of its decomposition, which would store the scores. All others are
// inlined, as composites are. Heads of keys and values that were repeated, one
// for each head of queries, are shared instead.
//
//===----------------------------------------------------------------------===//

#include "AttentionBuilder.h"

#include "tripy/Dialect/Tripy/Provenance.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

namespace {
/// A composite's operands by what they are.
struct Operands {
  Value query, key, value, mask, lengths;
  kernel::Causal causal = kernel::Causal::None;
  FloatAttr scale;
};
} // namespace

/// Reads a composite of this name, which somebody may have written; none where
/// it is another than trace's.
static std::optional<Operands> readComposite(flatir::CompositeOp op) {
  if (op.getName() != "attention" || op->getNumResults() != 1)
    return std::nullopt;
  SmallVector<Value> tensors;
  for (Value input : op.getInputs())
    if (isa<RankedTensorType>(input.getType()))
      tensors.push_back(input);
  if (tensors.size() < 3 || tensors.size() > 5)
    return std::nullopt;
  Operands operands;
  operands.query = tensors[0];
  operands.key = tensors[1];
  operands.value = tensors[2];
  for (Value more : ArrayRef(tensors).drop_front(3)) {
    Value &place =
        elementTypeOf(more).isInteger(32) ? operands.lengths : operands.mask;
    if (place)
      return std::nullopt;
    place = more;
  }
  operands.scale = op.getConfig().getAs<FloatAttr>("scale");
  if (!operands.scale || !operands.scale.getType().isF64())
    return std::nullopt;
  if (Attribute causal = op.getConfig().get("causal")) {
    auto name = dyn_cast<StringAttr>(causal);
    auto known = name ? kernel::symbolizeCausal(name) : std::nullopt;
    if (!known)
      return std::nullopt;
    operands.causal = *known;
  }
  return operands;
}

/// kernel.attention in place of `op`, which is f32; null where types are others
/// than kernels take.
static kernel::AttentionOp build(flatir::CompositeOp op,
                                 const Operands &operands) {
  OpBuilder b(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto attention = kernel::AttentionOp::create(
      b, op.getLoc(), type.clone(b.getF32Type()), operands.query, operands.key,
      operands.value, operands.mask, operands.lengths,
      kernel::CausalAttr::get(op.getContext(), operands.causal),
      /*windowLeft=*/IntegerAttr(), /*windowRight=*/IntegerAttr(),
      operands.scale,
      /*cap=*/FloatAttr(), /*hidden=*/FloatAttr(), /*emptyIsNaN=*/UnitAttr());
  // Its verifier knows; what it says is no error here.
  ScopedDiagnosticHandler quiet(op.getContext(),
                                [](Diagnostic &) { return success(); });
  if (succeeded(attention.verify()))
    return attention;
  attention.erase();
  return {};
}

void fusion::takeAttention(func::FuncOp function, Composites &composites) {
  for (auto op : llvm::make_early_inc_range(
           function.getBody().front().getOps<flatir::CompositeOp>())) {
    std::optional<Operands> operands = readComposite(op);
    kernel::AttentionOp attention =
        operands ? build(op, *operands) : kernel::AttentionOp();
    if (!attention)
      continue;
    composites[attention] = op.getNameAttr();
    Value result = attention.getResult();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (type != result.getType()) {
      OpBuilder b(op);
      Location loc =
          inserted(op.getLoc(), {"convert", "round the result of 'attention'"});
      result = flatir::ConvertOp::create(b, loc, type, result);
      composites[result.getDefiningOp()] = op.getNameAttr();
    }
    op->getResult(0).replaceAllUsesWith(result);
    op.erase();
  }
}

//===----------------------------------------------------------------------===//
// Heads that are repeated
//===----------------------------------------------------------------------===//

namespace {
/// A tensor in which each head of another one comes several times in a row.
struct RepeatedHeads {
  Value tensor;
  int64_t times;
  /// Of the tensor, with each head once.
  TensorSizes::Sizes sizes;
};
} // namespace

static std::optional<int64_t> product(ArrayRef<OpFoldResult> sizes) {
  int64_t all = 1;
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> known = getConstantIntValue(size);
    if (!known)
      return std::nullopt;
    all *= *known;
  }
  return all;
}

/// Recognises reshape(broadcast(x)), which repeats what has the size of a head.
static std::optional<RepeatedHeads> findRepeated(Value tensor,
                                                 const TensorSizes &sizes) {
  auto reshape = tensor.getDefiningOp<flatir::ReshapeOp>();
  auto broadcast = reshape
                       ? reshape.getInput().getDefiningOp<flatir::BroadcastOp>()
                       : flatir::BroadcastOp();
  TensorSizes::Sizes all = sizes.get(tensor);
  if (!broadcast || all.size() < 3)
    return std::nullopt;
  TensorSizes::Sizes from = sizes.get(broadcast.getInput());
  TensorSizes::Sizes to = sizes.get(broadcast.getResult());
  ArrayRef<int64_t> dims = broadcast.getDims();
  std::optional<size_t> repeated;
  for (size_t dim = 0; dim < to.size(); ++dim) {
    const int64_t *found = llvm::find(dims, static_cast<int64_t>(dim));
    if (found != dims.end() && from[found - dims.begin()] == to[dim])
      continue;
    if (repeated)
      return std::nullopt;
    repeated = dim;
  }
  if (!repeated)
    return std::nullopt;
  auto behind = ArrayRef<OpFoldResult>(to).drop_front(*repeated + 1);
  auto head = ArrayRef<OpFoldResult>(all).take_back(2);
  bool isHead = behind == head || (product(head) && product(behind) &&
                                   *product(head) == *product(behind));
  size_t place = all.size() - 3;
  std::optional<int64_t> times = getConstantIntValue(to[*repeated]);
  std::optional<int64_t> heads = getConstantIntValue(all[place]);
  if (!isHead || !times || !heads || *times < 2 || *heads % *times != 0)
    return std::nullopt;
  all[place] = Builder(tensor.getContext()).getIndexAttr(*heads / *times);
  return RepeatedHeads{broadcast.getInput(), *times, all};
}

void fusion::shareRepeatedHeads(Program &program) {
  bool isChanged = false;
  for (auto attention :
       program.function.getBody().front().getOps<kernel::AttentionOp>()) {
    auto key = findRepeated(attention.getKey(), program.sizes);
    auto value = findRepeated(attention.getValue(), program.sizes);
    if (!key || !value || key->times != value->times)
      continue;
    OpBuilder b(attention);
    Location loc = inserted(
        attention.getLoc(),
        {"attention", "read heads of keys and values as they were repeated"});
    auto eachOnce = [&](const RepeatedHeads &of) {
      return reshapedTo(reshapedFrom(of.tensor), of.sizes, b, loc, program);
    };
    attention.getKeyMutable().assign(eachOnce(*key));
    attention.getValueMutable().assign(eachOnce(*value));
    isChanged = true;
  }
  if (isChanged)
    eraseDead(program);
}
