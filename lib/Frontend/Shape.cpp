//===- Shape.cpp - Sizes of dimensions ------------------------------------===//

#include "tripy/Frontend/Shape.h"

#include "Call.h"
#include "Throw.h"

#include <ostream>

using namespace tripy;
using namespace tripy::frontend;

//===-- sizes -------------------------------------------------------------===//

int64_t Size::value(SourceLoc loc) const {
  if (!isStatic())
    fail(Code::InvalidArgument,
         "the size is known when the program runs, not while it is compiled",
         loc);
  return number;
}

std::string Size::str() const {
  return isStatic() ? std::to_string(number) : "?";
}

std::ostream &tripy::operator<<(std::ostream &os, const Size &size) {
  return os << size.str();
}

static int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// Records arithmetic on sizes of which one is known to the run alone.
static Size combine(Op op, const Size &a, const Size &b, SourceLoc loc) {
  Call call(op, loc);
  call.operand(a);
  call.operand(b);
  call.record();
  return call.size();
}

[[noreturn]] static void failOverflow(const Size &a, const char *op,
                                      const Size &b, SourceLoc loc) {
  fail(Code::LimitExceeded,
       "a size is a number of 64 bits; found " + a.str() + " " + op + " " +
           b.str(),
       loc);
}

/// The divisor is a number that `a` can be divided by, or known to the run.
static void checkDivision(const Size &a, const char *op, const Size &b,
                          SourceLoc loc) {
  if (!b.isStatic())
    return;
  if (b.value() == 0)
    fail(Code::InvalidArgument,
         "a size is not divided by 0; found " + a.str() + " " + op + " 0", loc);
  if (b.value() == -1 && a.isStatic() && a.value() == INT64_MIN)
    failOverflow(a, op, b, loc);
}

#define TRIPY_SIZE_OPERATOR(symbol, builtin, op)                               \
  Size tripy::operator symbol(const Size &a, const detail::Placed<Size> &b) {  \
    if (!a.isStatic() || !b.value.isStatic())                                  \
      return combine(Op::op, a, b.value, b.loc);                               \
    int64_t result = 0;                                                        \
    if (builtin(a.number, b.value.number, &result))                            \
      failOverflow(a, #symbol, b.value, b.loc);                                \
    return Size(result);                                                       \
  }
TRIPY_SIZE_OPERATOR(+, __builtin_add_overflow, SizeAdd)
TRIPY_SIZE_OPERATOR(-, __builtin_sub_overflow, SizeSub)
TRIPY_SIZE_OPERATOR(*, __builtin_mul_overflow, SizeMul)
#undef TRIPY_SIZE_OPERATOR

Size tripy::operator/(const Size &a, const detail::Placed<Size> &b) {
  checkDivision(a, "/", b.value, b.loc);
  return a.isStatic() && b.value.isStatic()
             ? Size(floorDivide(a.number, b.value.number))
             : combine(Op::SizeDiv, a, b.value, b.loc);
}
Size tripy::operator%(const Size &a, const detail::Placed<Size> &b) {
  checkDivision(a, "%", b.value, b.loc);
  Size quotient = a / b;
  return a.isStatic() && b.value.isStatic()
             ? Size(a.number - quotient.number * b.value.number)
             : a - Size(quotient * b);
}

//===-- shapes ------------------------------------------------------------===//

const Size &Shape::operator[](const detail::Placed<int64_t> &dim) const {
  int64_t rank = list.size(), at = dim.value < 0 ? dim.value + rank : dim.value;
  if (at < 0 || at >= rank)
    fail(Code::InvalidArgument,
         "there is no dimension " + std::to_string(dim.value) +
             " in a shape of rank " + std::to_string(rank),
         dim.loc);
  return list[at];
}

Size Shape::volume(SourceLoc loc) const {
  Size product = 1;
  for (const Size &size : list)
    product = product * detail::Placed<Size>(size, loc);
  return product;
}

std::string Shape::str() const {
  std::string text = "(";
  for (size_t i = 0; i < list.size(); ++i)
    text += (i ? ", " : "") + list[i].str();
  return text + (list.size() == 1 ? ",)" : ")");
}

std::ostream &tripy::operator<<(std::ostream &os, const Shape &shape) {
  return os << shape.str();
}
