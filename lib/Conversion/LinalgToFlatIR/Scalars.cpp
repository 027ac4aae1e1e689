//===- Scalars.cpp - Raises arith and math --------------------------------===//
//
// An operation that is a function of flatir becomes that. Others become a
// composition that is equal for all operands for which the operation has a
// value; or stay what they are, on tensors, where kernels compute them.
//
//===----------------------------------------------------------------------===//

#include "Raise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tripy;
using namespace tripy::raise;
using arith::CmpFPredicate;
using arith::CmpIPredicate;
using flatir::ComparisonDirection;
using scalar::ScalarFn;

//===-- steps -------------------------------------------------------------===//

Value Steps::fn(ScalarFn which, ValueRange in) {
  StringRef name = scalar::infoOf(which).mnemonic;
  Why why{b.sourceName().str(),
          ("compute '" + name + "' for '" + b.sourceName() + "'").str()};
  return b.insert(why, ("flatir." + name).str(), in.front().getType(), in)
      ->getResult(0);
}

Value Steps::compare(ComparisonDirection which, Value x, Value y) {
  Type truth = IntegerType::get(x.getContext(), 1);
  return b.step<flatir::CompareOp>("compare", space.type(truth), which, x, y);
}

Value Steps::select(Value c, Value x, Value y) {
  return b.step<flatir::SelectOp>("choose", x.getType(), c, x, y);
}

Value Steps::convert(Value x, Type element) {
  return b.convert(x, element, "convert an operand");
}

Value Steps::number(double value, Value like) {
  return splatNumber(value, elementTypeOf(like), space, b);
}

Value Steps::lowest(Value like) {
  Type type = elementTypeOf(like);
  APInt lowest = APInt::getSignedMinValue(type.getIntOrFloatBitWidth());
  return splat(IntegerAttr::get(type, lowest), space, b);
}

/// An operation known by name.
static Value named(Lowering &b, bool isOwn, StringRef name, Type type,
                   ValueRange in, ArrayRef<NamedAttribute> attributes) {
  if (isOwn)
    return b.primary(name, type, in, attributes)->getResult(0);
  Why why{b.sourceName().str(), ("compute '" + b.sourceName() + "'").str()};
  return b.insert(why, name, type, in, attributes)->getResult(0);
}

//===-- one operation -----------------------------------------------------===//

namespace {

/// Raises one operation of a kind that no row of the table is.
class Composition {
public:
  Composition(const ScalarStep &step, const Space &space, Lowering &b)
      : op(step.op), in(step.in), isOwn(step.isOwn), space(space), b(b),
        s(space, b) {}

  /// Null where it has none.
  Value raise();

private:
  Value raiseConversion();
  Value raiseTruth();
  Value raiseInteger();
  Value raiseFloat();

  Type from() { return elementTypeOf(in.front()); }
  Type to() {
    return elementFor(getElementTypeOrSelf(op->getResult(0).getType()));
  }
  /// The operation that `op` is.
  template <typename OpTy, typename... Args> Value own(Args &&...args) {
    if (isOwn)
      return b.primary<OpTy>(std::forward<Args>(args)...);
    return b.step<OpTy>("compute", std::forward<Args>(args)...);
  }
  bool isTruth() { return from().isInteger(1); }

  Value logical(ScalarFn fn, Value x, Value y) { return s.fn(fn, {x, y}); }
  Value logicalNot(Value x) { return s.fn(ScalarFn::LogicalNot, x); }
  Value differ() { return s.compare(ComparisonDirection::Ne, in[0], in[1]); }
  Value negate(Value x) { return s.fn(ScalarFn::Neg, x); }

  Value convert();
  Value signedFromTruth();
  Value widenUnsigned(Value x);
  Value truncate();
  Value unsignedToFloat();
  Value floatToUnsigned();
  Value compareInts(CmpIPredicate predicate);
  Value compareUnsigned(ComparisonDirection direction, Value x, Value y);
  Value compareFloats(CmpFPredicate predicate);
  Value extremumNumber(ScalarFn fn);
  Value remainder();
  Value ceilDivision();
  Value divideUnsigned();
  Value round();

  Operation *op;
  ArrayRef<Value> in;
  bool isOwn;
  const Space &space;
  Lowering &b;
  Steps s;
};

} // namespace

//===-- conversions -------------------------------------------------------===//

/// To the result's type as flatir.convert means it.
Value Composition::convert() {
  if (from() == to())
    return in.front();
  return own<flatir::ConvertOp>(space.type(to()), in.front());
}

/// Of a signed i1, true is -1.
Value Composition::signedFromTruth() {
  return isTruth() ? negate(s.convert(in.front(), to())) : convert();
}

/// An integer of fewer bits -> i64 without a sign.
Value Composition::widenUnsigned(Value x) {
  unsigned bits = elementTypeOf(x).getIntOrFloatBitWidth();
  Value wide = s.convert(x, IntegerType::get(op->getContext(), 64));
  if (bits == 1)
    return wide;
  Value modulus = s.number(std::ldexp(1.0, bits), wide);
  Value isNegative =
      s.compare(ComparisonDirection::Lt, wide, s.number(0, wide));
  return s.select(isNegative, s.fn(ScalarFn::Add, {wide, modulus}), wide);
}

/// To i1, arith takes the low bit, and flatir asks whether any is set.
Value Composition::truncate() {
  if (!to().isInteger(1))
    return convert();
  Value rest = s.fn(ScalarFn::Mod, {in.front(), s.number(2, in.front())});
  return s.compare(ComparisonDirection::Ne, rest, s.number(0, rest));
}

Value Composition::unsignedToFloat() {
  if (isTruth())
    return convert();
  if (from().getIntOrFloatBitWidth() >= 64)
    return {};
  return s.convert(widenUnsigned(in.front()), to());
}

Value Composition::floatToUnsigned() {
  if (to().isInteger(1) || to().getIntOrFloatBitWidth() >= 64)
    return {};
  return s.convert(
      s.convert(in.front(), IntegerType::get(op->getContext(), 64)), to());
}

//===-- comparisons -------------------------------------------------------===//

static std::optional<ComparisonDirection> directionOf(CmpFPredicate predicate) {
  for (const scalar::ComparisonInfo &info : scalar::comparisons())
    if (info.floatPredicate == predicate)
      return flatir::symbolizeComparisonDirection(info.mnemonic);
  return std::nullopt;
}

static std::optional<ComparisonDirection> directionOf(CmpIPredicate predicate) {
  for (const scalar::ComparisonInfo &info : scalar::comparisons())
    if (info.intPredicate == predicate)
      return flatir::symbolizeComparisonDirection(info.mnemonic);
  return std::nullopt;
}

/// The signed predicate that compares alike.
static CmpIPredicate signedForm(CmpIPredicate predicate) {
  switch (predicate) {
  case CmpIPredicate::ult:
    return CmpIPredicate::slt;
  case CmpIPredicate::ule:
    return CmpIPredicate::sle;
  case CmpIPredicate::ugt:
    return CmpIPredicate::sgt;
  case CmpIPredicate::uge:
    return CmpIPredicate::sge;
  default:
    return predicate;
  }
}

/// Of integers: with the sign bit turned, order is that of signed ones.
Value Composition::compareUnsigned(ComparisonDirection direction, Value x,
                                   Value y) {
  Value lowest = s.lowest(x);
  return s.compare(direction, s.fn(ScalarFn::Add, {x, lowest}),
                   s.fn(ScalarFn::Add, {y, lowest}));
}

/// flatir compares truth values as 0 and 1, which is unsigned.
Value Composition::compareInts(CmpIPredicate predicate) {
  CmpIPredicate plain = signedForm(predicate);
  bool isUnsigned = plain != predicate;
  bool ordered =
      predicate != CmpIPredicate::eq && predicate != CmpIPredicate::ne;
  ComparisonDirection direction = *directionOf(plain);
  if (isTruth() && ordered && !isUnsigned)
    return s.compare(direction, in[1], in[0]);
  if (isUnsigned && !isTruth())
    return compareUnsigned(direction, in[0], in[1]);
  return own<flatir::CompareOp>(space.type(to()), direction, in[0], in[1]);
}

Value Composition::compareFloats(CmpFPredicate predicate) {
  if (std::optional<ComparisonDirection> direction = directionOf(predicate))
    return own<flatir::CompareOp>(space.type(to()), *direction, in[0], in[1]);
  auto isNumber = [&](Value x) {
    return s.compare(ComparisonDirection::Eq, x, x);
  };
  auto ordered = [&] {
    return logical(ScalarFn::LogicalAnd, isNumber(in[0]), isNumber(in[1]));
  };
  auto unless = [&](ComparisonDirection direction) {
    return logicalNot(s.compare(direction, in[0], in[1]));
  };
  switch (predicate) {
  case CmpFPredicate::ULT:
    return unless(ComparisonDirection::Ge);
  case CmpFPredicate::ULE:
    return unless(ComparisonDirection::Gt);
  case CmpFPredicate::UGT:
    return unless(ComparisonDirection::Le);
  case CmpFPredicate::UGE:
    return unless(ComparisonDirection::Lt);
  case CmpFPredicate::ONE:
    return logical(ScalarFn::LogicalAnd, differ(), ordered());
  case CmpFPredicate::UEQ:
    return logicalNot(logical(ScalarFn::LogicalAnd, differ(), ordered()));
  case CmpFPredicate::ORD:
    return ordered();
  case CmpFPredicate::UNO:
    return logicalNot(ordered());
  default: {
    bool always = predicate == CmpFPredicate::AlwaysTrue;
    return splat(IntegerAttr::get(to(), always), space, b);
  }
  }
}

//===-- integers ----------------------------------------------------------===//

Value Composition::remainder() {
  Value quotient = s.fn(ScalarFn::Div, {in[0], in[1]});
  Value product = s.fn(ScalarFn::Mul, {quotient, in[1]});
  return s.fn(ScalarFn::Sub, {in[0], product});
}

/// Rounds the quotient toward zero up where it is positive and not exact. As
/// with all divisions, x / 0 is -1.
Value Composition::ceilDivision() {
  Value quotient = s.fn(ScalarFn::Div, {in[0], in[1]});
  Value rest =
      s.fn(ScalarFn::Sub, {in[0], s.fn(ScalarFn::Mul, {quotient, in[1]})});
  Value zero = s.number(0, rest);
  auto isNegative = [&](Value x) {
    return s.compare(ComparisonDirection::Lt, x, zero);
  };
  Value inexact = logical(ScalarFn::LogicalAnd,
                          s.compare(ComparisonDirection::Ne, rest, zero),
                          s.compare(ComparisonDirection::Ne, in[1], zero));
  Value alike =
      s.compare(ComparisonDirection::Eq, isNegative(rest), isNegative(in[1]));
  Value next = s.fn(ScalarFn::Add, {quotient, s.number(1, quotient)});
  return s.select(logical(ScalarFn::LogicalAnd, inexact, alike), next,
                  quotient);
}

/// The operation stays; no divisor is 0. As of signed ones, x / 0 is -1, all
/// bits set, and x rem 0 is x.
Value Composition::divideUnsigned() {
  Value isZero = s.compare(ComparisonDirection::Eq, in[1], s.number(0, in[1]));
  Value safe = s.select(isZero, s.number(1, in[1]), in[1]);
  Value made = named(b, isOwn, op->getName().getStringRef(), space.type(to()),
                     {in[0], safe}, {});
  Value byZero = isa<arith::DivUIOp>(op) ? s.number(-1, in[0]) : in[0];
  return s.select(isZero, byZero, made);
}

//===-- floats ------------------------------------------------------------===//

/// arith.maxnumf, minnumf: of a number and NaN, the number.
Value Composition::extremumNumber(ScalarFn fn) {
  auto isNaN = [&](Value x) {
    return s.compare(ComparisonDirection::Ne, x, x);
  };
  Value both = s.fn(fn, {in[0], in[1]});
  Value right = s.select(isNaN(in[1]), in[0], both);
  return s.select(isNaN(in[0]), in[1], right);
}

/// Halves away from zero. What has no fraction is itself: -0 and infinities.
Value Composition::round() {
  Value x = in.front(), size = s.fn(ScalarFn::Abs, x);
  Value whole = s.fn(ScalarFn::Floor, size);
  Value fraction = s.fn(ScalarFn::Sub, {size, whole});
  Value isUp =
      s.compare(ComparisonDirection::Ge, fraction, s.number(0.5, fraction));
  Value up = s.fn(ScalarFn::Add, {whole, s.number(1, whole)});
  Value rounded = s.select(isUp, up, whole);
  Value isNegative = s.compare(ComparisonDirection::Lt, x, s.number(0, x));
  Value isWhole = s.compare(ComparisonDirection::Eq, size, whole);
  return s.select(isWhole, x, s.select(isNegative, negate(rounded), rounded));
}

//===-- the list ----------------------------------------------------------===//

/// Whether a conversion rounds as flatir.convert does.
static bool roundsToNearest(Operation *op) {
  auto rounding = dyn_cast<arith::ArithRoundingModeInterface>(op);
  return !rounding || !rounding.getRoundingModeAttr() ||
         rounding.getRoundingModeAttr().getValue() ==
             arith::RoundingMode::to_nearest_even;
}

Value Composition::raiseConversion() {
  if (!roundsToNearest(op))
    return {};
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return convert(); })
      .Case<arith::SIToFPOp, arith::ExtSIOp, arith::IndexCastOp>(
          [&](auto) { return signedFromTruth(); })
      .Case([&](arith::FPToSIOp) {
        return to().isInteger(1) ? Value() : convert();
      })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>([&](auto) {
        return isTruth() || from() == to()
                   ? convert()
                   : s.convert(widenUnsigned(in.front()), to());
      })
      .Case([&](arith::TruncIOp) { return truncate(); })
      .Case([&](arith::UIToFPOp) { return unsignedToFloat(); })
      .Case([&](arith::FPToUIOp) { return floatToUnsigned(); })
      .Default(Value());
}

/// Of truth values.
Value Composition::raiseTruth() {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::AddIOp, arith::SubIOp>([&](auto) { return differ(); })
      .Case<arith::MulIOp, arith::MaxSIOp, arith::MinUIOp>(
          [&](auto) { return logical(ScalarFn::LogicalAnd, in[0], in[1]); })
      .Case<arith::MinSIOp, arith::MaxUIOp>(
          [&](auto) { return logical(ScalarFn::LogicalOr, in[0], in[1]); })
      .Default(Value());
}

/// Of integers.
Value Composition::raiseInteger() {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::MaxUIOp) {
        return s.select(compareUnsigned(ComparisonDirection::Gt, in[0], in[1]),
                        in[0], in[1]);
      })
      .Case([&](arith::MinUIOp) {
        return s.select(compareUnsigned(ComparisonDirection::Lt, in[0], in[1]),
                        in[0], in[1]);
      })
      .Case([&](arith::DivSIOp) { return s.fn(ScalarFn::Div, in); })
      .Case([&](arith::FloorDivSIOp) { return s.fn(ScalarFn::FloorDiv, in); })
      .Case([&](arith::CeilDivSIOp) { return ceilDivision(); })
      .Case([&](arith::RemSIOp) { return remainder(); })
      .Case<arith::DivUIOp, arith::RemUIOp>(
          [&](auto) { return divideUnsigned(); })
      .Case([&](math::AbsIOp) { return s.fn(ScalarFn::Abs, in); })
      .Default(Value());
}

Value Composition::raiseFloat() {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::MaxNumFOp) { return extremumNumber(ScalarFn::Maximum); })
      .Case([&](arith::MinNumFOp) { return extremumNumber(ScalarFn::Minimum); })
      .Case([&](math::RoundOp) { return round(); })
      .Default(Value());
}

Value Composition::raise() {
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    return own<flatir::SelectOp>(in[1].getType(), in[0], in[1], in[2]);
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return compareInts(comparison.getPredicate());
  if (auto comparison = dyn_cast<arith::CmpFOp>(op))
    return compareFloats(comparison.getPredicate());
  if (Value converted = raiseConversion())
    return converted;
  if (isTruth())
    return raiseTruth();
  return isa<FloatType>(from()) ? raiseFloat() : raiseInteger();
}

//===-- the table ---------------------------------------------------------===//

/// Whether all numbers are of types that kernels have.
static bool hasKnownTypes(Operation *op) {
  auto isKnown = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return isTensorElementType(element) || element.isIndex();
  };
  return llvm::all_of(op->getOperandTypes(), isKnown) &&
         llvm::all_of(op->getResultTypes(), isKnown);
}

static void refuse(Operation *op, const ScalarOperations &table, Lowering &b) {
  Operation *written = b.getSource();
  InFlightDiagnostic diagnostic = written->emitOpError("cannot be compiled: ");
  bool named = written->getName() != op->getName();
  if (named)
    diagnostic << "it computes with '" << op->getName().getStringRef() << "', ";
  diagnostic << (named ? "which" : "it is an operation that")
             << " kernels cannot compute"
             << (table.knowsName(op) || !hasKnownTypes(op) ? " on these types"
                                                           : "")
             << "; found (";
  llvm::interleaveComma(op->getOperandTypes(), diagnostic);
  diagnostic << ") -> (";
  llvm::interleaveComma(op->getResultTypes(), diagnostic);
  diagnostic << ")";
}

Value raise::raiseScalar(const ScalarStep &step, const Space &space,
                         const ScalarOperations &table, Lowering &b) {
  Operation *op = step.op;
  auto constant = dyn_cast<arith::ConstantOp>(op);
  bool isPlain = op->getNumResults() == 1 && op->getNumRegions() == 0 &&
                 hasKnownTypes(op) && (constant || !step.in.empty());
  if (!isPlain) {
    refuse(op, table, b);
    return {};
  }
  if (constant)
    return splat(constant.getValue(), space, b);
  Type type =
      space.type(elementFor(getElementTypeOrSelf(op->getResult(0).getType())));
  if (auto fn = table.functionOf(op))
    return named(b, step.isOwn,
                 ("flatir." + scalar::infoOf(*fn).mnemonic).str(), type,
                 step.in, {});
  // Floats of 8 bits are moved and converted, nothing else.
  if (!isFloat8(elementTypeOf(step.in.front())) || isa<arith::ExtFOp>(op))
    if (Value composed = Composition(step, space, b).raise())
      return composed;
  bool stays = op->hasTrait<OpTrait::Elementwise>() &&
               (!isa<CastOpInterface>(op) || isa<arith::BitcastOp>(op));
  if (stays && table.knows(op))
    return named(b, step.isOwn, op->getName().getStringRef(), type, step.in,
                 op->getAttrs());
  refuse(op, table, b);
  return {};
}
