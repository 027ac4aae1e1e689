//===- Half.h - f16, bf16 and their pairs -----------------------*- C++ -*-===//
#ifndef TRIPY_LIB_EMULATOR_HALF_H
#define TRIPY_LIB_EMULATOR_HALF_H

#include "Decoder.h"

namespace tripy::emulator {

/// Arithmetic on F16, F16x2, BF16, BF16x2.
bool decodeHalfArithmetic(Decoder &decoder, Type type);

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_HALF_H
