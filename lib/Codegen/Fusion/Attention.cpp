//===- Attention.cpp - Attention that a kernel takes whole ----------------===//
//
// A composite "attention" whose types kernels know becomes kernel.attention, in
// place of its decomposition, which would store the scores. All others are
// inlined, as composites are.
//
//===----------------------------------------------------------------------===//

#include "Prepare.h"

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
      kernel::CausalAttr::get(op.getContext(), operands.causal), operands.scale,
      /*hidden=*/FloatAttr(), /*emptyIsNaN=*/UnitAttr());
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
