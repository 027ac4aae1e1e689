//===- Numbers.h - Numbers as elements --------------------------*- C++ -*-===//
//
// Private to the frontend.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_NUMBERS_H
#define TRIPY_LIB_FRONTEND_NUMBERS_H

#include "tripy/Frontend/Types.h"

namespace tripy::frontend {

/// Throws Error at `loc` for a number that is no element type.
void checkDType(DType dtype, SourceLoc loc);

/// Stores `number` as one element of `dtype`, exactly where it fits.
void storeNumber(void *element, DType dtype, const Number &number);

/// The element as a number: a double, an int64 or a bool.
Number loadNumber(const void *element, DType dtype);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_NUMBERS_H
