//===- OpInfo.cpp - What the fusion pass knows of an operation ------------===//

#include "OpInfo.h"

#include "tripy/Dialect/Common/SizeOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

OpClass fusion::classOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, OpClass>(op)
      .Case([](flatir::ConstantOp constant) {
        return isa<SplatElementsAttr>(constant.getValue()) ? OpClass::Creation
                                                           : OpClass::Data;
      })
      .Case<flatir::IotaOp, flatir::FromIndexOp>(
          [](auto) { return OpClass::Creation; })
      .Case<flatir::BroadcastOp, flatir::ReshapeOp, flatir::TransposeOp,
            flatir::SliceOp>([](auto) { return OpClass::Layout; })
      .Case([](flatir::ConvertOp) { return OpClass::Convert; })
      .Case<flatir::ConcatenateOp, flatir::GatherOp, flatir::RandomBitsOp,
            flatir::WindowOp>([](auto) { return OpClass::Join; })
      .Case([](flatir::ScanOp) { return OpClass::Scan; })
      .Case([](kernel::AttentionOp) { return OpClass::Attention; })
      .Case<flatir::SortOp, kernel::DigitCountsOp, kernel::DigitScatterOp>(
          [](auto) { return OpClass::Sort; })
      .Case([](flatir::PluginOp) { return OpClass::Plugin; })
      .Case([](flatir::ReduceOp) { return OpClass::Reduce; })
      .Case([](flatir::DotOp dot) {
        return dot.getLhsContract().empty() ? OpClass::Join : OpClass::Dot;
      })
      .Default([](Operation *) { return OpClass::Elementwise; });
}

bool fusion::isProgramOp(Operation *op) {
  return isa_and_nonnull<flatir::FlatIRDialect>(op->getDialect()) ||
         flatir::isTensorArithmetic(op) ||
         isa<kernel::AttentionOp, kernel::DigitCountsOp,
             kernel::DigitScatterOp>(op);
}

bool fusion::isCheap(Operation *op) {
  OpClass c = classOf(op);
  return c == OpClass::Creation || c == OpClass::Layout ||
         c == OpClass::Convert;
}

bool fusion::isLoopType(Operation *op) {
  return classOf(op) != OpClass::Data && !isSeed(op);
}

bool fusion::isSeed(Operation *op) {
  OpClass c = classOf(op);
  return c == OpClass::Reduce || c == OpClass::Dot || c == OpClass::Scan ||
         c == OpClass::Attention || c == OpClass::Sort || c == OpClass::Plugin;
}

bool fusion::isPointwise(Operation *op) {
  OpClass c = classOf(op);
  return c == OpClass::Elementwise || c == OpClass::Convert;
}

bool fusion::isGemmOperandView(Operation *op) {
  if (auto slice = dyn_cast<flatir::SliceOp>(op))
    return slice.getOffsets().empty() &&
           llvm::all_of(slice.getStrides(), [](int64_t s) { return s > 0; });
  OpClass c = classOf(op);
  return c == OpClass::Layout || c == OpClass::Convert;
}

int64_t fusion::scalarCost(Operation *op) {
  if (isa<flatir::RandomBitsOp>(op))
    return 60;
  if (classOf(op) != OpClass::Elementwise)
    return classOf(op) == OpClass::Join ? 2 : 0;
  return llvm::StringSwitch<int64_t>(op->getName().stripDialect())
      .Cases({"exp", "log", "tanh", "erf", "sin", "cos", "pow"}, 20)
      .Cases({"div", "floor_div", "mod", "sqrt", "rsqrt"}, 4)
      .Default(1);
}

bool fusion::isExpensive(Operation *op) { return scalarCost(op) >= 20; }

StringRef fusion::shortName(Operation *op) {
  if (auto reduce = dyn_cast<flatir::ReduceOp>(op))
    return stringifyEnum(reduce.getKind());
  if (auto plugin = dyn_cast<flatir::PluginOp>(op))
    return plugin.getCallee();
  // What the fusion pass inserts for results that nothing computes.
  if (auto reshape = dyn_cast<flatir::ReshapeOp>(op))
    if (reshape.getInput().getType() == reshape.getResult().getType())
      return "copy";
  return op->getName().stripDialect();
}

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

/// Stands for a size of which nothing is known.
static constexpr int64_t unknownSize = 64;

int64_t Estimates::valueOf(Value size) const {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant;
  auto it = known.find(size);
  return it == known.end() ? unknownSize : it->second;
}

std::optional<int64_t> Estimates::evaluate(Operation *op) const {
  const SizeOpRow *row = findSizeOp(op);
  if (!row)
    return std::nullopt;
  // Of two broadcast sizes, the larger one.
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return std::max(valueOf(select.getTrueValue()),
                    valueOf(select.getFalseValue()));
  if (row->form != SizeForm::Binary)
    return std::nullopt;
  int64_t a = valueOf(op->getOperand(0)), b = valueOf(op->getOperand(1));
  std::optional<int64_t> value = evaluateSizeOp(row->op, a, b);
  bool grows = row->op == SizeOp::Add || row->op == SizeOp::Mul;
  return std::max<int64_t>(value.value_or(grows ? anySize.hi : 0), 0);
}

void Estimates::read(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (argument.getType().isIndex())
      if (ProfileAttr profile = profileOf(function, argument.getArgNumber()))
        known[argument] = profile.getOpt()[0];
  for (Operation &op : function.getBody().front()) {
    if (op.getNumResults() != 1 || !op.getResult(0).getType().isIndex())
      continue;
    if (auto dim = dyn_cast<flatir::DimOp>(op)) {
      auto argument = dyn_cast<BlockArgument>(dim.getInput());
      if (!argument)
        continue;
      ProfileAttr profile = profileOf(function, argument.getArgNumber());
      size_t number = dim.getDim();
      if (profile && number < profile.getOpt().size())
        known[dim.getResult()] = profile.getOpt()[number];
      continue;
    }
    if (std::optional<int64_t> value = evaluate(&op))
      known[op.getResult(0)] = *value;
  }
}

/// What estimates are cut to, so that there is room for sums and multiples of
/// them: more than any tensor has bytes.
static constexpr int64_t maxEstimate = int64_t(1) << 50;

int64_t Estimates::elements(const TensorSizes::Sizes &shape) const {
  int64_t count = 1;
  for (OpFoldResult size : shape) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    count =
        saturatingMul(count, constant ? *constant : valueOf(cast<Value>(size)));
  }
  return std::clamp<int64_t>(count, 0, maxEstimate);
}

int64_t Estimates::bytes(Value tensor, const TensorSizes &sizes) const {
  return bytesOf(elementTypeOf(tensor), elements(sizes.get(tensor)));
}

int64_t Estimates::multiplications(flatir::DotOp dot,
                                   const TensorSizes &sizes) const {
  TensorSizes::Sizes lhs = sizes.get(dot.getLhs()), contracted;
  for (int64_t dim : dot.getLhsContract())
    contracted.push_back(lhs[dim]);
  return std::min(maxEstimate,
                  saturatingMul(elements(sizes.get(dot.getResult())),
                                elements(contracted)));
}
