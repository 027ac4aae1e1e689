//===- Creation.cpp - Tensors from numbers, and operators -----------------===//

#include "Call.h"
#include "Explain.h"
#include "Throw.h"

#include "tripy/Frontend/Functions.h"

#include <cmath>

using namespace tripy;
using namespace tripy::frontend;

//===-- operators ---------------------------------------------------------===//

/// Whether the operation is on bits: no operand is bool.
static bool isOfBits(const TensorLike &lhs, const TensorLike &rhs) {
  const TensorLike &known = lhs.isNumber() ? rhs : lhs;
  DType dtype = known.isNumber() ? known.literal()->dtype()
                                 : known.tensor().dtype(known.loc());
  return dtypeInfo(dtype).cls != DTypeClass::Bool;
}

Tensor tripy::operator&(const TensorLike &lhs, const TensorLike &rhs) {
  return isOfBits(lhs, rhs) ? op::bitwise_and(lhs, rhs, lhs.loc())
                            : op::logical_and(lhs, rhs, lhs.loc());
}
Tensor tripy::operator|(const TensorLike &lhs, const TensorLike &rhs) {
  return isOfBits(lhs, rhs) ? op::bitwise_or(lhs, rhs, lhs.loc())
                            : op::logical_or(lhs, rhs, lhs.loc());
}
Tensor tripy::operator^(const TensorLike &lhs, const TensorLike &rhs) {
  return isOfBits(lhs, rhs) ? op::bitwise_xor(lhs, rhs, lhs.loc())
                            : op::logical_xor(lhs, rhs, lhs.loc());
}
Tensor tripy::operator~(const TensorLike &input) {
  return isOfBits(input, input) ? op::bitwise_not(input, input.loc())
                                : op::logical_not(input, input.loc());
}
Tensor tripy::operator!(const TensorLike &input) {
  return op::logical_not(input, input.loc());
}

Tensor &tripy::operator+=(Tensor &lhs, const TensorLike &rhs) {
  return lhs = TensorLike(lhs, rhs.loc()) + rhs;
}
Tensor &tripy::operator-=(Tensor &lhs, const TensorLike &rhs) {
  return lhs = TensorLike(lhs, rhs.loc()) - rhs;
}
Tensor &tripy::operator*=(Tensor &lhs, const TensorLike &rhs) {
  return lhs = TensorLike(lhs, rhs.loc()) * rhs;
}
Tensor &tripy::operator/=(Tensor &lhs, const TensorLike &rhs) {
  return lhs = TensorLike(lhs, rhs.loc()) / rhs;
}

//===-- one value ---------------------------------------------------------===//

/// The value is an operand: another one needs no other program.
Tensor tripy::full(const Shape &shape, const Number &value,
                   std::optional<DType> dtype, SourceLoc loc) {
  Tensor number = numberTensor(value, dtype.value_or(value.dtype()), loc);
  Call::valueOf(number).node->device = onDefaultDevice;
  return shape.rank() == 0 ? number : expand({number, loc}, shape, loc);
}

/// The value is part of the operation.
static Tensor fixed(const Shape &shape, bool value, DType dtype,
                    SourceLoc loc) {
  Number number = value;
  return op::full(shape,
                  dtype == boolean ? number : Number(int(value)).as(dtype, loc),
                  loc);
}
Tensor tripy::ones(const Shape &shape, DType dtype, SourceLoc loc) {
  return fixed(shape, true, dtype, loc);
}
Tensor tripy::zeros(const Shape &shape, DType dtype, SourceLoc loc) {
  return fixed(shape, false, dtype, loc);
}
Tensor tripy::fullLike(const Tensor &input, const Number &value,
                       std::optional<DType> dtype, SourceLoc loc) {
  Tensor number = Call::placedAs(
      input, numberTensor(value, dtype.value_or(input.dtype(loc)), loc));
  Shape shape = input.shape(loc);
  return shape.rank() == 0 ? number : expand({number, loc}, shape, loc);
}
Tensor tripy::onesLike(const Tensor &input, std::optional<DType> dtype,
                       SourceLoc loc) {
  return Call::placedAs(
      input, ones(input.shape(loc), dtype.value_or(input.dtype(loc)), loc));
}
Tensor tripy::zerosLike(const Tensor &input, std::optional<DType> dtype,
                        SourceLoc loc) {
  return Call::placedAs(
      input, zeros(input.shape(loc), dtype.value_or(input.dtype(loc)), loc));
}

//===-- arange ------------------------------------------------------------===//

/// How many numbers arange() has. A double does not hold every integer.
static double countOf(const Number &start, const Number &stop,
                      const Number &step) {
  for (const Number &number : {start, stop, step})
    if (std::holds_alternative<double>(number.value()))
      return std::ceil((stop.toDouble() - start.toDouble()) / step.toDouble());
  __int128 length = __int128(stop.toInt()) - start.toInt(), by = step.toInt();
  __int128 count = length / by;
  return double(count + (count * by != length && (length < 0) == (by < 0)));
}

/// The last number of `count` is one of an integral `dtype`. Those that are
/// none of an integer are refused where they become tensors.
static void checkLast(const Number &start, const Number &step, double count,
                      DType dtype, SourceLoc loc) {
  for (const Number &number : {start, step})
    if (std::holds_alternative<double>(number.value()))
      return;
  const DTypeInfo &info = dtypeInfo(dtype);
  if (info.cls != DTypeClass::Int || dtype == int64)
    return;
  int bits = dtype == int4 ? 4 : 8 * int(info.size);
  int64_t lowest = info.isUnsigned() ? 0 : -(int64_t(1) << (bits - 1));
  int64_t highest = lowest + (int64_t(1) << bits) - 1;
  __int128 last = start.toInt() + __int128(step.toInt()) * int64_t(count - 1);
  if (last >= lowest && last <= highest)
    return;
  fail(Code::InvalidArgument,
       "the numbers of arange are " + std::string(info.name) +
           "; found start " + start.str() + ", step " + step.str() + " and " +
           std::to_string(int64_t(count)) + " numbers",
       loc);
}

Tensor tripy::arange(const Number &start, const Number &stop,
                     const Number &step, DType dtype, SourceLoc loc) {
  IntroducedScope scope("compute the numbers of 'arange'");
  if (step.toDouble() == 0)
    fail(Code::InvalidArgument, "the step of arange is not 0", loc);
  double count = countOf(start, stop, step);
  if (!(count > 0))
    fail(Code::InvalidArgument,
         "arange has an element; found start " + start.str() + ", stop " +
             stop.str() + ", step " + step.str(),
         loc);
  if (!(count <= double(maxElements)))
    fail(Code::LimitExceeded,
         "arange has at most 2^40 elements; found start " + start.str() +
             ", stop " + stop.str() + ", step " + step.str(),
         loc);
  checkLast(start, step, count, dtype, loc);
  // Elements that nothing computes with come from wider ones.
  if (dtype == int4 || isFloat8(dtype))
    return cast(
        {arange(start, stop, step, dtype == int4 ? int32 : float32, loc), loc},
        dtype, loc);
  Tensor counts = iota({int64_t(count)}, 0, dtype, loc);
  bool isUnit = step.toDouble() == 1, isZero = start.toDouble() == 0;
  if (!isUnit)
    counts = TensorLike(counts, loc) *
             TensorLike(numberTensor(step, dtype, loc), loc);
  if (!isZero)
    counts = TensorLike(counts, loc) +
             TensorLike(numberTensor(start, dtype, loc), loc);
  return counts;
}
Tensor tripy::arange(const Number &stop, DType dtype, SourceLoc loc) {
  return arange(0, stop, 1, dtype, loc);
}
