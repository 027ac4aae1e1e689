//===- MatrixDecode.h - What matrix instructions share ----------*- C++ -*-===//
#ifndef TRIPY_LIB_EMULATOR_MATRIXDECODE_H
#define TRIPY_LIB_EMULATOR_MATRIXDECODE_H

#include "Decoder.h"

namespace tripy::emulator {

bool matrixType(Type type, MatrixType &result);
bool accumulatorType(Type type, AccumulatorType &result);
/// The 32-bit registers of a vector operand (or of a single one) into a list.
bool registerList(Decoder &decoder, const Operand &operand, size_t count,
                  bool isSource, uint32_t &list);

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_MATRIXDECODE_H
