//===- SizeMath.cpp - Arithmetic on sizes ---------------------------------===//

#include "SizeMath.h"

#include "tripy/Dialect/FlatIR/FlatIR.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tripy;

//===-- ranges ------------------------------------------------------------===//

/// Ends of ranges saturate here, so that they can be added and multiplied.
static constexpr int64_t infinity = int64_t(1) << 62;
/// How far rangeOf looks back.
static constexpr unsigned maxDepth = 8;

static int64_t saturate(__int128 value) {
  return value > infinity    ? infinity
         : value < -infinity ? -infinity
                             : static_cast<int64_t>(value);
}

static SizeRange multiply(SizeRange a, SizeRange b) {
  auto corner = [](int64_t x, int64_t y) {
    return saturate(static_cast<__int128>(x) * y);
  };
  auto [low, high] =
      std::minmax({corner(a.low, b.low), corner(a.low, b.high),
                   corner(a.high, b.low), corner(a.high, b.high)});
  return {low, high};
}

static SizeRange rangeOf(Size size, unsigned depth);

static SizeRange rangeOfOp(Operation *op, unsigned depth) {
  auto operand = [&](unsigned i) {
    return rangeOf(Size(op->getOperand(i)), depth - 1);
  };
  return llvm::TypeSwitch<Operation *, SizeRange>(op)
      .Case([&](flatir::DimOp) { return SizeRange{0, maxElements}; })
      .Case([&](arith::AddIOp) {
        SizeRange a = operand(0), b = operand(1);
        return SizeRange{saturate(__int128(a.low) + b.low),
                         saturate(__int128(a.high) + b.high)};
      })
      .Case([&](arith::SubIOp) {
        SizeRange a = operand(0), b = operand(1);
        return SizeRange{saturate(__int128(a.low) - b.high),
                         saturate(__int128(a.high) - b.low)};
      })
      .Case([&](arith::MulIOp) { return multiply(operand(0), operand(1)); })
      .Case([&](arith::MinSIOp) {
        SizeRange a = operand(0), b = operand(1);
        return SizeRange{std::min(a.low, b.low), std::min(a.high, b.high)};
      })
      .Case([&](arith::MaxSIOp) {
        SizeRange a = operand(0), b = operand(1);
        return SizeRange{std::max(a.low, b.low), std::max(a.high, b.high)};
      })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>([&](auto) {
        SizeRange a = operand(0), b = operand(1);
        return a.low >= 0 && b.low >= 1 ? SizeRange{0, a.high}
                                        : SizeRange{-infinity, infinity};
      })
      .Case([&](arith::SelectOp) {
        SizeRange a = operand(1), b = operand(2);
        return SizeRange{std::min(a.low, b.low), std::max(a.high, b.high)};
      })
      .Default([](Operation *) { return SizeRange{-infinity, infinity}; });
}

static SizeRange rangeOf(Size size, unsigned depth) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return {saturate(*known), saturate(*known)};
  SizeRange any{-infinity, infinity};
  if (depth == 0)
    return any;
  auto value = cast<Value>(size);
  if (Operation *op = value.getDefiningOp())
    return rangeOfOp(op, depth);
  // Composites take sizes of tensors.
  Operation *parent = cast<BlockArgument>(value).getOwner()->getParentOp();
  return isa_and_present<flatir::CompositeOp>(parent)
             ? SizeRange{0, maxElements}
             : any;
}

SizeRange tripy::rangeOf(Size size) { return ::rangeOf(size, maxDepth); }

static bool isAtMost(Size a, Size b, unsigned depth) {
  if (a == b || rangeOf(a).high <= rangeOf(b).low)
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
        return other.high <= 0 && rangeOf(Size(op->getOperand(0))).low >= 0 &&
               operand(0);
      })
      .Case([&](arith::MinSIOp) { return operand(0) || operand(1); })
      .Case([&](arith::MaxSIOp) { return operand(0) && operand(1); })
      .Case([&](arith::SelectOp) { return operand(1) && operand(2); })
      .Case<arith::FloorDivSIOp, arith::CeilDivSIOp>([&](auto) {
        return rangeOf(Size(op->getOperand(0))).low >= 0 &&
               rangeOf(Size(op->getOperand(1))).low >= 1 && operand(0);
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

/// Folds two constants when the result does not overflow.
static std::optional<int64_t>
foldConstants(Size a, Size b,
              function_ref<std::optional<int64_t>(int64_t, int64_t)> fold) {
  std::optional<int64_t> x = known(a), y = known(b);
  return x && y ? fold(*x, *y) : std::nullopt;
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
  if (auto sum = foldConstants(a, b, [](int64_t x, int64_t y) {
        int64_t sum;
        return llvm::AddOverflow(x, y, sum) ? std::nullopt : std::optional(sum);
      }))
    return constant(*sum);
  if (known(a))
    std::swap(a, b);
  if (isKnown(b, 0))
    return a;
  // (x + 1) + 2 -> x + 3: what cancels is x again.
  if (auto sum = cast<Value>(a).getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> c = known(b), d = known(Size(sum.getRhs()));
        c && d && std::abs(*c) < infinity && std::abs(*d) < infinity)
      return add(Size(sum.getLhs()), constant(*c + *d));
  Value x = value(a), y = value(b);
  return build<arith::AddIOp>(Add, x, y, {}, x, y);
}

Size SizeMath::sub(Size a, Size b) {
  if (auto difference = foldConstants(a, b, [](int64_t x, int64_t y) {
        int64_t difference;
        return llvm::SubOverflow(x, y, difference) ? std::nullopt
                                                   : std::optional(difference);
      }))
    return constant(*difference);
  if (a == b)
    return constant(0);
  if (std::optional<int64_t> c = known(b); c && *c != INT64_MIN)
    return add(a, constant(-*c));
  Value x = value(a), y = value(b);
  return build<arith::SubIOp>(Sub, x, y, {}, x, y);
}

Size SizeMath::mul(Size a, Size b) {
  if (auto product = foldConstants(a, b, [](int64_t x, int64_t y) {
        int64_t product;
        return llvm::MulOverflow(x, y, product) ? std::nullopt
                                                : std::optional(product);
      }))
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
  if (auto quotient = foldConstants(
          a, b, [](int64_t x, int64_t y) { return std::optional(x / y); }))
    return constant(*quotient);
  Value x = value(a), y = value(b);
  return build<arith::FloorDivSIOp>(FloorDiv, x, y, {}, x, y);
}

Size SizeMath::ceilDiv(Size a, Size b) {
  if (isKnown(b, 1))
    return a;
  if (auto quotient = foldConstants(a, b, [](int64_t x, int64_t y) {
        return std::optional(x / y + (x % y != 0));
      }))
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
  if (range.low == 1 && range.high == 1)
    return then;
  if (range.low > 1 || range.high < 1)
    return otherwise;
  return select(arith::CmpIPredicate::eq, test, 1, then, otherwise);
}

Size SizeMath::ifNegative(Size test, Size then, Size otherwise) {
  SizeRange range = rangeOf(test);
  if (range.high < 0)
    return then;
  if (range.low >= 0)
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
