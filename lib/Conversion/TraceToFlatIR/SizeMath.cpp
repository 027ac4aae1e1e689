//===- SizeMath.cpp - Arithmetic on sizes ---------------------------------===//

#include "SizeMath.h"

#include "tripy/Dialect/Common/SizeOps.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tripy;

//===-- ranges ------------------------------------------------------------===//

/// How far rangeOf looks back.
static constexpr unsigned maxDepth = 8;

static SizeRange rangeOf(Size size, unsigned depth) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return {*known, *known};
  if (depth == 0)
    return anySize;
  auto value = cast<Value>(size);
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    Operation *parent = argument.getOwner()->getParentOp();
    // Composites take sizes of tensors.
    if (isa_and_present<flatir::CompositeOp>(parent))
      return {0, maxElements};
    auto function = dyn_cast_if_present<FunctionOpInterface>(parent);
    ProfileAttr profile =
        function ? profileOf(function, argument.getArgNumber()) : ProfileAttr();
    return profile ? SizeRange{profile.getMin()[0], profile.getMax()[0]}
                   : anySize;
  }
  if (isa<flatir::DimOp>(op))
    return {0, maxElements};
  SmallVector<Interval, 3> operands;
  for (Value operand : op->getOperands())
    operands.push_back(operand.getType().isIndex()
                           ? rangeOf(Size(operand), depth - 1)
                           : anySize);
  return boundSize(op, operands);
}

SizeRange tripy::rangeOf(Size size) { return ::rangeOf(size, maxDepth); }

static bool isAtMost(Size a, Size b, unsigned depth) {
  if (a == b || rangeOf(a).hi <= rangeOf(b).lo)
    return true;
  auto value = dyn_cast<Value>(a);
  Operation *op = value ? value.getDefiningOp() : nullptr;
  if (!op || depth == 0)
    return false;
  auto operand = [&](unsigned i) {
    return ::isAtMost(op->getOperand(i), b, depth - 1);
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      // Wrong only for sums that wrap around, which no tensor has.
      .Case([&](arith::AddIOp) {
        SizeRange other = rangeOf(Size(op->getOperand(1)));
        return other.hi <= 0 && rangeOf(Size(op->getOperand(0))).lo >= 0 &&
               operand(0);
      })
      .Case([&](arith::MinSIOp) { return operand(0) || operand(1); })
      .Case([&](arith::MaxSIOp) { return operand(0) && operand(1); })
      .Case([&](arith::SelectOp) { return operand(1) && operand(2); })
      .Case<arith::FloorDivSIOp, arith::CeilDivSIOp>([&](auto) {
        return rangeOf(Size(op->getOperand(0))).lo >= 0 &&
               rangeOf(Size(op->getOperand(1))).lo >= 1 && operand(0);
      })
      .Default([](Operation *) { return false; });
}

bool tripy::isAtMost(Size a, Size b) { return ::isAtMost(a, b, maxDepth); }

bool tripy::isBroadcastOf(Size whole, Size part) {
  for (unsigned i = 0; i < maxDepth; ++i) {
    if (whole == part)
      return true;
    auto value = dyn_cast<Value>(whole);
    auto select = value ? value.getDefiningOp<arith::SelectOp>() : nullptr;
    auto test =
        select ? select.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
    // x == 1 ? y : x
    if (!test || test.getPredicate() != arith::CmpIPredicate::eq ||
        test.getLhs() != select.getFalseValue() ||
        getConstantIntValue(Size(test.getRhs())) != 1)
      return false;
    if (Size(select.getTrueValue()) == part)
      return true;
    whole = Size(select.getFalseValue());
  }
  return false;
}

//===-- arithmetic --------------------------------------------------------===//

namespace {
enum Kind : int {
  Constant,
  Add,
  Sub,
  Mul,
  Min,
  Max,
  FloorDiv,
  CeilDiv,
  Compare,
  Select = Compare + 16
};
} // namespace

static std::optional<int64_t> known(Size size) {
  return getConstantIntValue(size);
}
static bool isKnown(Size size, int64_t value) { return known(size) == value; }

/// Folds two constants when the operation has a value.
static std::optional<int64_t> foldConstants(SizeOp op, Size a, Size b) {
  std::optional<int64_t> x = known(a), y = known(b);
  return x && y ? evaluateSizeOp(op, *x, *y) : std::nullopt;
}

Size SizeMath::constant(int64_t value) {
  return builder.getBuilder().getIndexAttr(value);
}

template <typename OpTy, typename... Args>
Value SizeMath::build(int kind, Value a, Value b, Value c, Args &&...args) {
  Value &value = built[{builder.getBuilder().getInsertionBlock(), kind,
                        a.getAsOpaquePointer(), b.getAsOpaquePointer(),
                        c.getAsOpaquePointer()}];
  if (!value) {
    Why why{"size", ("compute sizes for '" + builder.sourceName() + "'").str()};
    value = builder.insert<OpTy>(why, std::forward<Args>(args)...);
  }
  return value;
}

Value SizeMath::value(Size size) {
  if (auto value = dyn_cast<Value>(size))
    return value;
  auto attr = cast<IntegerAttr>(cast<Attribute>(size));
  Value &value = built[{builder.getBuilder().getInsertionBlock(), Constant,
                        attr.getAsOpaquePointer(), nullptr, nullptr}];
  if (!value) {
    Why why{"size",
            ("provide a size for '" + builder.sourceName() + "'").str()};
    value = builder.insert<arith::ConstantIndexOp>(why, attr.getInt());
  }
  return value;
}

Size SizeMath::add(Size a, Size b) {
  if (auto sum = foldConstants(SizeOp::Add, a, b))
    return constant(*sum);
  if (known(a))
    std::swap(a, b);
  if (isKnown(b, 0))
    return a;
  // (x + 1) + 2 -> x + 3: what cancels is x again.
  if (auto value = dyn_cast<Value>(a))
    if (auto sum = value.getDefiningOp<arith::AddIOp>())
      if (auto both = foldConstants(SizeOp::Add, b, Size(sum.getRhs())))
        return add(Size(sum.getLhs()), constant(*both));
  Value x = value(a), y = value(b);
  return build<arith::AddIOp>(Add, x, y, {}, x, y);
}

Size SizeMath::sub(Size a, Size b) {
  if (auto difference = foldConstants(SizeOp::Sub, a, b))
    return constant(*difference);
  if (a == b)
    return constant(0);
  if (std::optional<int64_t> c = known(b); c && *c != anySize.lo)
    return add(a, constant(-*c));
  Value x = value(a), y = value(b);
  return build<arith::SubIOp>(Sub, x, y, {}, x, y);
}

Size SizeMath::mul(Size a, Size b) {
  if (auto product = foldConstants(SizeOp::Mul, a, b))
    return constant(*product);
  if (isKnown(a, 1) || isKnown(b, 0))
    return b;
  if (isKnown(b, 1) || isKnown(a, 0))
    return a;
  Value x = value(a), y = value(b);
  return build<arith::MulIOp>(Mul, x, y, {}, x, y);
}

Size SizeMath::minimum(Size a, Size b) {
  if (isAtMost(a, b))
    return a;
  if (isAtMost(b, a))
    return b;
  Value x = value(a), y = value(b);
  return build<arith::MinSIOp>(Min, x, y, {}, x, y);
}

Size SizeMath::maximum(Size a, Size b) {
  if (isAtMost(b, a))
    return a;
  if (isAtMost(a, b))
    return b;
  Value x = value(a), y = value(b);
  return build<arith::MaxSIOp>(Max, x, y, {}, x, y);
}

Size SizeMath::floorDiv(Size a, Size b) {
  if (isKnown(b, 1))
    return a;
  if (auto quotient = foldConstants(SizeOp::FloorDiv, a, b))
    return constant(*quotient);
  Value x = value(a), y = value(b);
  return build<arith::FloorDivSIOp>(FloorDiv, x, y, {}, x, y);
}

Size SizeMath::ceilDiv(Size a, Size b) {
  if (isKnown(b, 1))
    return a;
  if (auto quotient = foldConstants(SizeOp::CeilDiv, a, b))
    return constant(*quotient);
  Value x = value(a), y = value(b);
  return build<arith::CeilDivSIOp>(CeilDiv, x, y, {}, x, y);
}

Size SizeMath::select(arith::CmpIPredicate predicate, Size test, int64_t with,
                      Size then, Size otherwise) {
  if (then == otherwise)
    return then;
  Value left = value(test), right = value(constant(with));
  Value condition =
      build<arith::CmpIOp>(Compare + static_cast<int>(predicate), left, right,
                           {}, predicate, left, right);
  Value x = value(then), y = value(otherwise);
  return build<arith::SelectOp>(Select, condition, x, y, condition, x, y);
}

Size SizeMath::ifOne(Size test, Size then, Size otherwise) {
  SizeRange range = rangeOf(test);
  if (range.isPoint(1))
    return then;
  if (range.lo > 1 || range.hi < 1)
    return otherwise;
  return select(arith::CmpIPredicate::eq, test, 1, then, otherwise);
}

Size SizeMath::ifNegative(Size test, Size then, Size otherwise) {
  SizeRange range = rangeOf(test);
  if (range.hi < 0)
    return then;
  if (range.lo >= 0)
    return otherwise;
  return select(arith::CmpIPredicate::slt, test, 0, then, otherwise);
}

Size SizeMath::product(ArrayRef<Size> sizes) {
  // Constants first: they fold into one.
  Size result = constant(1);
  for (bool constants : {true, false})
    for (Size size : sizes)
      if (known(size).has_value() == constants)
        result = mul(result, size);
  return result;
}
