//===- F64.cpp - exp, log, tanh, erf and pow of f64 -----------------------===//
//
// The same bits on every device, as the forms for f32. Coefficients are printed
// by utils/fit-math.py under the names in the comments.
//
//===----------------------------------------------------------------------===//
#include "Pairs.h"

using namespace mlir;

namespace tripy::codegen::mathexpr {

using Predicate = arith::CmpFPredicate;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
/// log2(e) and ln(2), each in two f64.
static constexpr double log2e = 0x1.71547652b82fep+0,
                        log2eLow = 0x1.777d0ffda0d24p-56;
static constexpr double ln2 = 0x1.62e42fefa39efp-1,
                        ln2Low = 0x1.abc9e3b39803fp-56;
/// ln(2) in two f64, of which the first has bits for a product with an
/// exponent.
static constexpr double ln2Short = 0x1.62e42fee00000p-1,
                        ln2Rest = 0x1.a39ef35793c76p-33;
static constexpr double twoThirds = 0x1.5555555555555p-1,
                        twoThirdsLow = 0x1.5555555555555p-55;
/// The bits of 1 and of 2/3, and those of a mantissa.
static constexpr int64_t oneBits = 0x3ff0000000000000,
                         twoThirdsBits = 0x3fe5555555555555,
                         mantissaBits = 0xfffffffffffff;

//===-- powers ------------------------------------------------------------===//

/// 2^n as f64, for i64 n in [-1023, 1024]; -1023 gives 0 and 1024 infinity.
static Expr powerOfTwo(Expr n) { return (addBits(n << 52, oneBits)).asFloat(); }

Expr scaleWide(Expr x, Expr n) {
  // The first product is exact.
  Expr half = n >> 1;
  return x * powerOfTwo(half) * powerOfTwo(n - half);
}

static Expr clamp(Expr x, double limit) {
  x = select(x.compare(Predicate::OGT, limit), limit, x);
  return select(x.compare(Predicate::OLT, -limit), -limit, x);
}

/// The integer that an addition of roundF64 left in `rounded`.
static Expr integerOf(Expr rounded) {
  return rounded.asInt() - rounded.number(roundF64).asInt();
}

/// exp(r) - 1 - r for |r| <= ln(2) / 2.
static Expr tailOfExp(Expr r) {
  // "exp-wide"
  Expr q = polynomial(
      r, {0x1.0000000000000p-1, 0x1.5555555555557p-3, 0x1.5555555555556p-5,
          0x1.11111111100dcp-7, 0x1.6c16c16c162d4p-10, 0x1.a01a01abe7fe1p-13,
          0x1.a01a01a6d889bp-16, 0x1.71de0231960ebp-19, 0x1.27e4db646b300p-22,
          0x1.af4de97ca4194p-26, 0x1.1f73034961f44p-29});
  return q * (r * r);
}

/// exp(r.high + r.low).
static Expr expOf(Pair r) {
  Expr sum = r.high + 1.0;
  Expr error = (1.0 - sum) + r.high;
  return sum + (error + (tailOfExp(r.high) + r.low));
}

WidePower widePower(Expr x) {
  Expr rounded = fma(x, log2e, x.number(roundF64));
  Expr n = rounded - roundF64;
  Expr rest = fma(n, -ln2, x), low = n * -ln2Low;
  Expr r = rest + low;
  return {{r, (rest - r) + low}, integerOf(rounded)};
}

Expr WidePower::value() const { return expOf(r); }

Pair WidePower::minusOne() const {
  Expr tail = tailOfExp(r.high) + r.low;
  Expr rest = r.high + tail;
  Expr restLow = (r.high - rest) + tail;
  Expr factor = powerOfTwo(n);
  Pair less = addExact(factor, factor.number(-1.0));
  Expr t = fma(factor, rest, less.high);
  Expr error = fma(factor, rest, less.high - t);
  return {t, error + (less.low + factor * restLow)};
}

Expr expandWideExp(Expr x) {
  WidePower power = widePower(clamp(x, 800.0));
  return scaleWide(power.value(), power.n);
}

/// 2^(x.high + x.low), where `low` is small; |x| <= 1100.
static Expr powerOfPair(Pair x) {
  Expr rounded = x.high + roundF64;
  Expr f = (x.high - (rounded - roundF64)) + x.low;
  Expr r = f * ln2;
  Expr error = fma(f, ln2, -r) + f * ln2Low;
  return scaleWide(expOf({r, error}), integerOf(rounded));
}

Expr expandWideExp2(Expr x) {
  return powerOfPair({clamp(x, 1100.0), x.number(0.0)});
}

//===-- logarithms --------------------------------------------------------===//

namespace {
/// x = (1 + f) 2^e, with f in [-1/3, 1/3).
struct Fraction {
  /// Both f64.
  Expr f, e;
};
} // namespace

/// Of a positive finite x, denormals too.
static Fraction fractionOf(Expr x) {
  Expr denormal = x.compare(Predicate::OLT, 0x1p-1022);
  Expr scaled = select(denormal, x * 0x1p54, x);
  Expr bias = select(denormal, x.asInt().bits(-54), x.asInt().bits(0));
  Expr offset = subBits(scaled.asInt(), twoThirdsBits);
  Expr m = addBits(offset & mantissaBits, twoThirdsBits).asFloat();
  Expr e = (offset >> 52) + bias;
  return {m - 1.0, e.convert<arith::SIToFPOp>(x.f64())};
}

Expr logarithmSpecials(Expr x, Expr result) {
  result = select(x.compare(Predicate::OEQ, 0.0), -infinity, result);
  result = select(x.compare(Predicate::OLT, 0.0), nan, result);
  return select(x.compare(Predicate::OLT, infinity), result, x + x);
}

Expr expandWideLog(Expr x) {
  auto [f, e] = fractionOf(x);
  // log((1 + s) / (1 - s)) = 2 s + s r.
  Expr s = f / (f + 2.0);
  Expr z = s * s;
  // "log-wide"
  Expr q = polynomial(z, {0x1.5555555555555p-1, 0x1.999999999999ap-2,
                          0x1.24924924923f3p-2, 0x1.c71c71c73526fp-3,
                          0x1.745d173637a6bp-3, 0x1.3b13b6e16d503p-3,
                          0x1.110fd2e0c4f66p-3, 0x1.e23837221fa1cp-4,
                          0x1.a82165e20f4bbp-4, 0x1.d5bcffa4d5ad5p-4});
  // 2 s is f - s f, and s f is half of f^2 less s times that.
  Expr half = f * f * 0.5;
  Expr small = half - (s * (half + z * q) + e * ln2Rest);
  return logarithmSpecials(x, e * ln2Short - (small - f));
}

Pair wideLog2(Expr x) {
  auto [f, e] = fractionOf(x);
  Expr sum = f + 2.0;
  Expr sumLow = f - (sum - 2.0);
  Expr s = f / sum;
  Expr sLow = (fma(-s, sum, f) - s * sumLow) / sum;
  Expr z = s * s;
  Expr zLow = fma(s, s, -z) + s * sLow * 2.0;
  // log((1 + s) / (1 - s)) = s (2 + z (2/3 + z q(z))): "pow-wide"
  Expr q = polynomial(
      z, {0x1.999999999999ap-2, 0x1.2492492492483p-2, 0x1.c71c71c721697p-3,
          0x1.745d1740dc734p-3, 0x1.3b13b3b48c8c1p-3, 0x1.11105fcae6a57p-3,
          0x1.e21bf82d71e85p-4, 0x1.a9a5d13ac3beep-4, 0x1.cd16199869f75p-4});
  Expr third = z * q;
  Expr inner = third + twoThirds;
  Expr innerLow = (twoThirds - inner) + third + twoThirdsLow;
  Expr w = z * inner;
  Expr wLow = fma(z, inner, -w) + z * innerLow + zLow * inner;
  Expr factor = w + 2.0;
  Expr factorLow = (2.0 - factor) + w + wLow;
  Expr log = s * factor;
  Expr logLow = fma(s, factor, -log) + s * factorLow + sLow * factor;
  Expr g = log * log2e;
  Expr gLow = fma(log, log2e, -g) + log * log2eLow + logLow * log2e;
  // The exponent is 0, or larger than the rest.
  Expr high = e + g;
  return {high, (e - high) + g + gLow};
}

Expr expandWideLog2(Expr x) {
  Pair log = wideLog2(x);
  return logarithmSpecials(x, log.high + log.low);
}

Expr expandWidePow(Expr x, Expr y) {
  Expr a = x.abs();
  Pair log = wideLog2(a);
  Expr isZero = a.compare(Predicate::OEQ, 0.0);
  Expr isInfinite = a.compare(Predicate::OEQ, infinity);
  Expr high = select(isInfinite, infinity, select(isZero, -infinity, log.high));
  Expr product = high * y;
  Expr low = fma(high, y, -product) + log.low * y;
  // Beyond these the result is infinity or 0 anyway.
  Expr isLarge = product.abs().compare(Predicate::OGT, 1100.0);
  low = select(isLarge, 0.0, low);
  return finishPow(x, y, powerOfPair({clamp(product, 1100.0), low}));
}

//===-- tanh and erf ------------------------------------------------------===//

Expr expandWideTanh(Expr x) {
  // t = exp(2 a) - 1 and tanh(a) = t / (t + 2); from 22 on that is 1.
  Expr a = x.abs();
  a = select(a.compare(Predicate::OGT, 22.0), 22.0, a);
  // What t, t + 2 and the quotient lack corrects it.
  auto [t, tLow] = widePower(a + a).minusOne();
  Expr sum = t + 2.0;
  Expr sumLow = (t - (sum - 2.0)) + tLow;
  Expr quotient = t / sum;
  Expr error = fma(-quotient, sum, t) + (tLow - quotient * sumLow);
  return (quotient + error / sum).binary<math::CopySignOp>(x);
}

Expr expandWideErf(Expr x) {
  Expr a = x.abs();
  // "erf-small-wide"
  Expr q = polynomial(a * a, {0x1.06eba8214db69p-3, -0x1.812746b0379e7p-2,
                              0x1.ce2f21a042bc3p-4, -0x1.b82ce31287ef9p-6,
                              0x1.565bcd0e408fcp-8, -0x1.c02db3f5bb11ap-11,
                              0x1.f9a32545af308p-14, -0x1.f4d22ce01c1ecp-17,
                              0x1.b9e34237f8626p-20, -0x1.5f45c6e88361cp-23,
                              0x1.f9880dd0a4ff9p-27, -0x1.3ee6cf29e61c3p-30,
                              0x1.18f4af7a694acp-34});
  Expr small = fma(q, a, a);

  // erf(a) = 1 - exp(-a^2) g(t) / (1 + 2 a), t = (a - 3) / (a + 3); from 5.95
  // on that is 1.
  Expr c = select(a.compare(Predicate::OGT, 5.95), 5.95, a);
  Expr t = (c - 3.0) / (c + 3.0);
  // "erf-large-wide"
  Expr g = polynomial(
      t, {0x1.40c522d7e4987p+0, -0x1.15c084bb9e8f5p-3, -0x1.85a15c58aa54ep-5,
          0x1.098366a5b494dp-3, -0x1.e88b803a4b7bep-4, 0x1.17ca2877d3e16p-4,
          -0x1.8574c40a376b4p-6, 0x1.4b884edac090dp-9, 0x1.ef1bdbd2b67e5p-10,
          -0x1.98db8301f8536p-11, -0x1.b912d6c75ab44p-14, 0x1.0662cf5506496p-13,
          0x1.4d96a3ef535bep-18, -0x1.52918cd43cf45p-16, -0x1.f3c69d77a37f8p-21,
          0x1.d8fe5b796da91p-19, 0x1.f78aa21b24211p-21});
  WidePower power = widePower(-(c * c));
  Expr tail = scaleWide(power.value(), power.n) * (g / (c + c + 1.0));
  Expr isLarge = a.compare(Predicate::OGE, 0.92);
  return select(isLarge, 1.0 - tail, small).binary<math::CopySignOp>(x);
}

} // namespace tripy::codegen::mathexpr
