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
static Size combine(Op op, const Size &a, const Size &b) {
  Call call(op, {});
  call.operand(a);
  call.operand(b);
  call.record();
  return call.size();
}

static void checkDivisor(const Size &b) {
  if (b.isStatic() && b.value() == 0)
    fail(Code::InvalidArgument, "a size is divided by 0", {});
}

Size tripy::operator+(const Size &a, const Size &b) {
  return a.isStatic() && b.isStatic() ? Size(a.number + b.number)
                                      : combine(Op::SizeAdd, a, b);
}
Size tripy::operator-(const Size &a, const Size &b) {
  return a.isStatic() && b.isStatic() ? Size(a.number - b.number)
                                      : combine(Op::SizeSub, a, b);
}
Size tripy::operator*(const Size &a, const Size &b) {
  return a.isStatic() && b.isStatic() ? Size(a.number * b.number)
                                      : combine(Op::SizeMul, a, b);
}
Size tripy::operator/(const Size &a, const Size &b) {
  checkDivisor(b);
  return a.isStatic() && b.isStatic() ? Size(floorDivide(a.number, b.number))
                                      : combine(Op::SizeDiv, a, b);
}
Size tripy::operator%(const Size &a, const Size &b) {
  checkDivisor(b);
  return a.isStatic() && b.isStatic()
             ? Size(a.number - floorDivide(a.number, b.number) * b.number)
             : a - a / b * b;
}

//===-- shapes ------------------------------------------------------------===//

const Size &Shape::operator[](int64_t dim) const {
  int64_t rank = list.size(), at = dim < 0 ? dim + rank : dim;
  if (at < 0 || at >= rank)
    fail(Code::InvalidArgument,
         "there is no dimension " + std::to_string(dim) +
             " in a shape of rank " + std::to_string(rank),
         {});
  return list[at];
}

Size Shape::volume() const {
  Size product = 1;
  for (const Size &size : list)
    product = product * size;
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
