//===- ScalarFns.cpp - The table of scalar functions: rows and meaning ----===//

#include "tripy/Dialect/Common/ScalarFns.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace tripy;
using namespace tripy::scalar;

//===-- functions that the rows name --------------------------------------===//

static int64_t wrapAdd(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) +
                              static_cast<uint64_t>(y));
}
static int64_t wrapSub(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) -
                              static_cast<uint64_t>(y));
}
static int64_t wrapMul(int64_t x, int64_t y) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) *
                              static_cast<uint64_t>(y));
}

/// The lowest value divided by -1 has no representation: it stays itself.
static bool quotientOverflows(int64_t x, int64_t y, unsigned bits) {
  return y == -1 && x == llvm::minIntN(bits);
}
static int64_t divideTruncating(int64_t x, int64_t y, unsigned bits) {
  if (y == 0)
    return -1;
  return quotientOverflows(x, y, bits) ? x : x / y;
}
static int64_t divideFlooring(int64_t x, int64_t y, unsigned bits) {
  int64_t quotient = divideTruncating(x, y, bits);
  if (y == 0 || quotientOverflows(x, y, bits))
    return quotient;
  return quotient - (x % y != 0 && (x < 0) != (y < 0));
}
static int64_t moduloFlooring(int64_t x, int64_t y) {
  if (y == 0)
    return x;
  if (y == -1)
    return 0;
  int64_t rest = x % y;
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

/// Python's: std::fmod is exact, and where its sign is not y's, y is added.
static double moduloFlooring(double x, double y) {
  double rest = std::fmod(x, y);
  if (rest == 0)
    return std::copysign(rest, y);
  return (rest < 0 && y > 0) || (rest > 0 && y < 0) ? rest + y : rest;
}

/// Wraps around. A negative exponent asks for 1 / x^-y, toward zero.
static int64_t powerOf(int64_t x, int64_t y) {
  if (y < 0)
    return x == 1 || x == -1 ? (y & 1 ? x : 1) : 0;
  int64_t result = 1;
  for (; y; y >>= 1, x = wrapMul(x, x))
    if (y & 1)
      result = wrapMul(result, x);
  return result;
}

static bool isShift(int64_t amount, unsigned bits) {
  return amount >= 0 && amount < static_cast<int64_t>(bits);
}
static int64_t shiftLeft(int64_t x, int64_t amount, unsigned bits) {
  return isShift(amount, bits)
             ? static_cast<int64_t>(static_cast<uint64_t>(x) << amount)
             : 0;
}
static int64_t shiftRight(int64_t x, int64_t amount, unsigned bits) {
  return x >> (isShift(amount, bits) ? amount : bits - 1);
}

/// NaN and zeros stay themselves.
static double signOf(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

/// NaN if either is; -0 is below +0, which comparisons do not see.
static double maximumOf(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  if (x == y)
    return std::signbit(x) ? y : x;
  return std::max(x, y);
}
static double minimumOf(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  if (x == y)
    return std::signbit(x) ? x : y;
  return std::min(x, y);
}

#define GET_SCALAR_TABLE
#define GET_SCALAR_REFERENCE
#include "tripy/Dialect/Common/ScalarFns.inc"

//===-- rows --------------------------------------------------------------===//

llvm::ArrayRef<ScalarFnInfo> scalar::scalarFns() { return scalarFnRows; }
llvm::ArrayRef<ComparisonInfo> scalar::comparisons() { return comparisonRows; }

const ScalarFnInfo &scalar::infoOf(ScalarFn fn) {
  return scalarFnRows[static_cast<size_t>(fn)];
}
const ComparisonInfo &scalar::infoOf(ComparisonFn fn) {
  return comparisonRows[static_cast<size_t>(fn)];
}

/// The number of the row called `mnemonic`, as `Fn`.
template <typename Fn, typename Rows>
static std::optional<Fn> lookup(const Rows &rows, llvm::StringRef mnemonic) {
  const auto *row = llvm::find_if(
      rows, [&](const auto &info) { return info.mnemonic == mnemonic; });
  if (row == std::end(rows))
    return std::nullopt;
  return static_cast<Fn>(row - std::begin(rows));
}

std::optional<ScalarFn> scalar::lookupScalarFn(llvm::StringRef mnemonic) {
  return lookup<ScalarFn>(scalarFnRows, mnemonic);
}
std::optional<ComparisonFn> scalar::lookupComparison(llvm::StringRef mnemonic) {
  return lookup<ComparisonFn>(comparisonRows, mnemonic);
}

bool scalar::isDefined(ScalarFn fn, mlir::Type element) {
  const ScalarFnInfo &info = infoOf(fn);
  if (llvm::isa<mlir::FloatType>(element))
    return info.onFloat;
  return element.isInteger(1)
             ? info.onBool
             : llvm::isa<mlir::IntegerType>(element) && info.onInt;
}

//===-- meaning -----------------------------------------------------------===//

double scalar::evaluate(ScalarFn fn, double x, double y) {
  return evaluateFloat(fn, x, y);
}
int64_t scalar::evaluate(ScalarFn fn, int64_t x, int64_t y, unsigned bits) {
  return llvm::SignExtend64(evaluateInt(fn, x, y, bits), bits);
}
bool scalar::evaluate(ScalarFn fn, bool x, bool y) {
  return evaluateBool(fn, x, y);
}
bool scalar::evaluate(ComparisonFn fn, double x, double y) {
  return compareValues(fn, x, y);
}
bool scalar::evaluate(ComparisonFn fn, int64_t x, int64_t y) {
  return compareValues(fn, x, y);
}
