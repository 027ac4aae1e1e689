//===- F64Trig.cpp -- sin, cos, tan of f64 --------------------------------===//
//
// |x| is a mantissa M of 53 bits times 2^E, and x 2/pi is wanted modulo 4 only:
// bits of 2/pi whose product with 2^E is a multiple of 4 add nothing. The next
// 192 times M give 126 bits behind the point, enough for the f64 that is
// closest to a multiple of pi/2 (M. Payne and R. Hanek, "Radian reduction for
// trigonometric functions", 1983). Coefficients are printed by
// utils/fit-math.py under the names in the comments.
//
//===----------------------------------------------------------------------===//
#include "Expr.h"

using namespace mlir;

namespace tripy::codegen::mathexpr {

using Predicate = arith::CmpFPredicate;

/// The bits of 2/pi behind the point, after 64 zeros.
static constexpr uint64_t twoOverPi[] = {0,
                                         0xa2f9836e4e441529,
                                         0xfc2757d1f534ddc0,
                                         0xdb6295993c439041,
                                         0xfe5163abdebbc561,
                                         0xb7246e3a424dd2e0,
                                         0x06492eea09d1921c,
                                         0xfe1deb1cb129a73e,
                                         0xe88235f52ebb4484,
                                         0xe99c7026b45f7e41,
                                         0x3991d639835339f4,
                                         0x9c845f8bbdf9283b,
                                         0x1ff897ffde05980f,
                                         0xef2f118b5a0a6d1f,
                                         0x6d367ecf27cb09b7,
                                         0x4f463f669e5fea2d,
                                         0x7527bac7ebe5f17b,
                                         0x3d0739f78a5292ea,
                                         0x6bfb5fb11f8d5d08,
                                         0x56033046fc7b6bab};
static constexpr int64_t numWords = std::size(twoOverPi);

/// pi/2 in two f64.
static constexpr double halfPi = 0x1.921fb54442d18p+0,
                        halfPiLow = 0x1.1a62633145c07p-54;

namespace {
/// |x| = (quadrant + a number in [-1/2, 1/2]) pi/2 modulo 2 pi.
struct WideReduced {
  /// i64; only the two low bits count.
  Expr quadrant;
  /// sin and cos of the rest, f64.
  Expr sin, cos;
};
/// 128 bits.
struct Words {
  Expr high, low;
};
} // namespace

static Expr shiftRight(Expr x, Expr by) { return x.binary<arith::ShRUIOp>(by); }
static Expr shiftRight(Expr x, int64_t by) { return shiftRight(x, x.bits(by)); }

/// Words `index` to `index + 3` of the table, for an index up to 16: those that
/// each bit of it skips are left out in turn.
static SmallVector<Expr> wordsFrom(Expr index) {
  SmallVector<Expr> words;
  for (uint64_t word : twoOverPi)
    words.push_back(index.bits(static_cast<int64_t>(word)));
  for (int64_t skipped = 16; skipped > 0; skipped /= 2) {
    Expr skips = (index & skipped).compareInt(arith::CmpIPredicate::ne, 0);
    // With 16 no other bit is set.
    int64_t needed = skipped == 16 ? numWords - 16 : skipped + 3;
    for (int64_t i = 0; i < needed; ++i)
      words[i] = select(skips, words[i + skipped], words[i]);
  }
  words.resize(4, index);
  return words;
}

/// The product of two unsigned i64.
static Words multiply(Expr x, Expr y) {
  auto product = arith::MulUIExtendedOp::create(x.builder(), x.get(), y.get());
  return {Expr(x.builder(), product.getHigh()),
          Expr(x.builder(), product.getLow())};
}

/// `magnitude` 2/pi modulo 4, with 2 bits before the point; |x| >= 1/2.
static Words turnsOf(Expr magnitude) {
  Expr mantissa = (magnitude & 0xfffffffffffff) | magnitude.bits(1LL << 52);
  // Of 1/2 the exponent's field is 1022. Smaller ones are not used.
  Expr skipped = subBits(magnitude >> 52, 1013);
  Expr isSmall = skipped.compareInt(arith::CmpIPredicate::slt, 0);
  skipped = select(isSmall, skipped.bits(0), skipped);
  SmallVector<Expr> words = wordsFrom(skipped >> 6);
  Expr shift = skipped & 63, rest = shift.bits(63) - shift;
  SmallVector<Expr> window;
  for (int i = 0; i < 3; ++i)
    window.push_back(words[i].binary<arith::ShLIOp>(shift) |
                     shiftRight(shiftRight(words[i + 1], 1), rest));
  Words last = multiply(mantissa, window[2]);
  Words middle = multiply(mantissa, window[1]);
  Expr first = mantissa.binary<arith::MulIOp>(window[0]);
  Expr low = last.high + middle.low;
  Expr carries =
      Expr(low.builder(),
           arith::CmpIOp::create(low.builder(), arith::CmpIPredicate::ult,
                                 low.get(), middle.low.get()));
  Expr high = first + middle.high;
  return {select(carries, addBits(high, 1), high), low};
}

static WideReduced reduce(Expr x) {
  Expr magnitude = x.asInt() & INT64_MAX;
  Words turns = turnsOf(magnitude);
  // The fraction is signed: from 1/2 on it is one less, in the next quadrant.
  Expr high = (turns.high << 2) | shiftRight(turns.low, 62);
  Expr low = turns.low << 2;
  Expr quadrant = shiftRight(turns.high, 62) + shiftRight(high, 63);
  // Two f64 of 53 and 63 bits, of which the second rounds.
  Expr upper = (high & ~int64_t(0x7ff)).convert<arith::SIToFPOp>(x.f64());
  Expr rest = ((high & 0x7ff) << 52) | shiftRight(low, 12);
  Expr lower = rest.convert<arith::SIToFPOp>(x.f64()) * 0x1p-116;
  upper = upper * 0x1p-64;
  Expr turn = upper + lower;
  Expr turnLow = (upper - turn) + lower;
  Expr r = turn * halfPi;
  Expr rLow = fma(turn, halfPi, -r) + turn * halfPiLow + turnLow * halfPi;

  Expr a = magnitude.asFloat();
  Expr isSmall = a.compare(Predicate::OLT, 0.5);
  r = select(isSmall, a, r);
  rLow = select(isSmall, 0.0, rLow);
  quadrant = select(isSmall, quadrant.bits(0), quadrant);

  Expr z = r * r;
  // "sin-wide"
  Expr s = polynomial(z, {-0x1.5555555555555p-3, 0x1.1111111111110p-7,
                          -0x1.a01a01a019936p-13, 0x1.71de3a54605eep-19,
                          -0x1.ae64541266378p-26, 0x1.61217ec01749dp-33,
                          -0x1.ab17a79237a19p-41});
  // "cos-wide"
  Expr c = polynomial(z, {0x1.5555555555555p-5, -0x1.6c16c16c16c16p-10,
                          0x1.a01a01a019d0ap-16, -0x1.27e4fb7712bdfp-22,
                          0x1.1eed8deb6d561p-29, -0x1.9394b9c9c20a4p-37,
                          0x1.ab783376962cfp-45});
  Expr half = z * 0.5, rounded = 1.0 - half;
  Expr sin = r + fma(s, z * r, rLow * rounded);
  Expr cos = rounded + (((1.0 - rounded) - half) + (z * z * c - r * rLow));
  return {quadrant, sin, cos};
}

static Expr isOdd(Expr quadrant) {
  return (quadrant & 1).compareInt(arith::CmpIPredicate::ne, 0);
}

/// Flips the sign of `value` where bit 1 of `quadrant`, or the sign bit of
/// `sign`, is set; NaN where x is not finite.
static Expr finish(Expr x, Expr value, Expr quadrant, Expr sign) {
  Expr flips = ((quadrant << 62) ^ sign) & INT64_MIN;
  Expr result = (value.asInt() ^ flips).asFloat();
  Expr isFinite =
      x.abs().compare(Predicate::OLT, std::numeric_limits<double>::infinity());
  return select(isFinite, result, x - x);
}

Expr expandWideSin(Expr x) {
  WideReduced reduced = reduce(x);
  Expr value = select(isOdd(reduced.quadrant), reduced.cos, reduced.sin);
  return finish(x, value, reduced.quadrant, x.asInt());
}

Expr expandWideCos(Expr x) {
  WideReduced reduced = reduce(x);
  Expr value = select(isOdd(reduced.quadrant), reduced.sin, reduced.cos);
  Expr next = addBits(reduced.quadrant, 1);
  return finish(x, value, next, next.bits(0));
}

Expr expandWideTan(Expr x) {
  WideReduced reduced = reduce(x);
  Expr odd = isOdd(reduced.quadrant);
  Expr value = select(odd, reduced.cos, reduced.sin) /
               select(odd, reduced.sin, reduced.cos);
  // Quadrants 1 and 3 have -cos / sin.
  Expr sign = (reduced.quadrant << 63) ^ x.asInt();
  return finish(x, value, sign.bits(0), sign);
}

} // namespace tripy::codegen::mathexpr
