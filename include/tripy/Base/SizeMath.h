//===- SizeMath.h - Arithmetic on sizes and on their ranges -----*- C++ -*-===//
//
// All arithmetic that the project does with sizes at compile time, at load time
// and at run time. It is exact on int64: what does not fit 64 bits, and what
// divides by zero, has no value. Ranges say what values an operation can have
// and whether it can fail; their ends saturate and never wrap around. Standard
// library only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_SIZEMATH_H
#define TRIPY_BASE_SIZEMATH_H

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace tripy {

/// The operations of size expressions. Numbers are part of the executable
/// format.
enum class SizeOp : uint8_t {
  Constant = 1, ///< SizeExpr::value
  Symbol = 2,   ///< symbols[SizeExpr::a]
  Add = 3,
  Sub = 4,
  Mul = 5,
  FloorDiv = 6, ///< rounds to minus infinity
  CeilDiv = 7,
  Mod = 8, ///< sign of the divisor
  Min = 9,
  Max = 10,
  /// The size that two broadcast sizes have together: a == 1 ? b : a.
  Broadcast = 11,
  /// a == b ? 1 : 0.
  Equal = 12,
  Div = 13, ///< rounds to 0
  Rem = 14, ///< sign of the dividend
  /// Of the 64 bits.
  And = 15,
  Or = 16,
  Xor = 17,
};

/// The kinds of conditions on two sizes. Numbers are part of the executable
/// format.
enum class CheckKind : uint8_t {
  Equal = 1,         ///< a == b
  Broadcastable = 2, ///< a == b or a == 1 or b == 1
  LessEqual = 3,     ///< a <= b
  Sum = 4,           ///< a + b fits 64 bits
  Difference = 5,    ///< a - b fits 64 bits
  Product = 6,       ///< a * b fits 64 bits
  Quotient = 7,      ///< b is not 0 and a / b fits 64 bits
  Remainder = 8,     ///< b is not 0
};

//===-- values ------------------------------------------------------------===//

/// Value of a two-operand `op`; none when the exact result does not fit 64
/// bits, for a zero divisor, and for an op that has no two operands.
std::optional<int64_t> evaluateSizeOp(SizeOp op, int64_t a, int64_t b);

/// Whether the order of the operands does not matter.
bool isCommutative(SizeOp op);

//===-- ranges ------------------------------------------------------------===//

/// All integers from lo to hi, both included; lo <= hi.
struct Interval {
  int64_t lo = 0, hi = 0;
  bool contains(int64_t value) const { return lo <= value && value <= hi; }
  bool isPoint() const { return lo == hi; }
  bool isPoint(int64_t value) const { return lo == value && hi == value; }
  bool operator==(const Interval &) const = default;
};

/// What is known of a size of which nothing is known.
inline constexpr Interval anySize = {std::numeric_limits<int64_t>::min(),
                                     std::numeric_limits<int64_t>::max()};

/// The smallest range that holds both.
Interval unite(Interval a, Interval b);

/// What an operation can do for operands in given ranges.
struct SizeBound {
  /// All values that it can have; anything where it always fails.
  Interval values;
  /// Whether it overflows or divides by zero for some operands, and for all.
  bool mayFail = false, alwaysFails = false;
};

/// Bounds a two-operand `op`. The ranges are those of single operands: what
/// they have in common is not seen.
SizeBound boundSizeOp(SizeOp op, Interval a, Interval b);

//===-- conditions --------------------------------------------------------===//

/// A row for each CheckKind.
struct CheckKindInfo {
  CheckKind kind;
  /// As flatir.require and kernel.require name it.
  std::string_view name;
  /// For the kinds that say that an operation has a value: such an operation,
  /// and the rule in words.
  std::optional<SizeOp> op;
  std::string_view rule;
};

/// All rows.
std::span<const CheckKindInfo> checkKindTable();
/// The row of a kind or of its name; null for what is none.
const CheckKindInfo *findCheckKind(CheckKind kind);
const CheckKindInfo *findCheckKind(std::string_view name);

/// The condition under which `op` has a value; null when it always has one.
const CheckKindInfo *conditionOf(SizeOp op);

/// Whether the condition holds.
bool holds(CheckKind kind, int64_t a, int64_t b);

/// What ranges decide: true and false where it holds, or fails, for all values
/// in them.
std::optional<bool> decide(CheckKind kind, Interval a, Interval b);

} // namespace tripy

#endif // TRIPY_BASE_SIZEMATH_H
