//===- Decoder.h - From statements to instructions --------------*- C++ -*-===//
//
// A Decoder looks at one statement. The functions decode*() below each know a
// family of opcodes: they take the modifiers and operands they understand,
// and what is left over afterwards is an error, so that no modifier is ever
// ignored by accident.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_EMULATOR_DECODER_H
#define TRIPY_LIB_EMULATOR_DECODER_H

#include "Machine.h"

#include "tripy/Base/Text.h"

namespace tripy::emulator {

enum class Type : uint8_t {
  None,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  B8,
  B16,
  B32,
  B64,
  B128,
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32,
  F64,
  TF32,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2,
  U16x2,
  S16x2,
  Pred,
};

/// ".u32" without its dot; None when it is no type.
Type typeNamed(std::string_view name);
/// Bytes of a value; 0 for predicates.
uint32_t bytesOf(Type type);
bool isSigned(Type type);
bool isFloat(Type type);

class Decoder {
public:
  Decoder(KernelText &text, const Statement &statement, Body &body,
          std::map<std::tuple<uint8_t, uint64_t, bool>, uint32_t> &constants);

  const Statement &statement;
  Instruction out;
  Body &body;

  std::string_view head() const { return parts[0]; }
  /// Consumes a modifier if it is there.
  bool take(std::string_view part);
  /// Consumes the first of the modifiers that is there; its index, or -1.
  int takeOneOf(std::initializer_list<std::string_view> candidates);
  /// Consumes the next type.
  Type takeType();
  /// Consumes the next modifier that starts like `prefix`.
  std::string_view takePrefix(std::string_view prefix);
  /// All modifiers are understood.
  bool finish();

  size_t count() const { return statement.operands.size(); }
  const Operand &operand(size_t index) const {
    return statement.operands[index];
  }
  /// The number of operands is in [least, most].
  bool operands(size_t least, size_t maximum);
  /// Offset of a source of `bytes` (0: a predicate).
  bool source(const Operand &operand, uint32_t bytes, uint32_t &offset);
  bool source(size_t index, uint32_t bytes, uint32_t &offset);
  /// Offset of a destination; "_" is a register that nobody reads.
  bool destination(const Operand &operand, uint32_t bytes, uint32_t &offset);
  bool destination(size_t index, uint32_t bytes, uint32_t &offset);
  /// A register of any width, as ld, st and cvt take it; `bytes` is its width.
  bool wide(const Operand &operand, uint32_t least, bool isSource,
            uint32_t &offset, uint32_t &bytes);
  /// `[register + offset]` into a, wideAddress and immediate.
  bool address(size_t index);
  bool addressInto(const Operand &memory, uint32_t &base, bool &isWide,
                   int64_t &offset);
  bool integer(size_t index, int64_t &value);
  /// An offset that fits a 32- or 64-bit register with an address.
  bool anyAddress(const Operand &operand, uint32_t &base, bool &isWide);

  bool set(Handler handler) {
    out.run = handler;
    return handler || fail("this combination of types is not known");
  }
  uint32_t list(const std::vector<uint32_t> &offsets);
  uint32_t constant(uint32_t bytes, uint64_t value, bool dynamic = false);
  uint32_t special(Special special, uint32_t bytes);
  bool label(size_t index, int64_t &target);
  bool label(const std::string &name, int64_t &target);
  /// The targets of a brx.idx into a list of `count`.
  bool branchTargets(size_t index, uint32_t &list, uint32_t &count);
  bool fail(std::string_view why);
  const Status &status() const { return error; }

private:
  KernelText &text;
  std::vector<std::string_view> parts;
  std::vector<bool> used;
  std::map<std::tuple<uint8_t, uint64_t, bool>, uint32_t> &constants;
  Status error;
};

/// Each returns false without an error when the opcode is not its own.
using DecodeFunction = bool (*)(Decoder &);
/// Opcode (first part) -> its decoder.
void addIntegerOpcodes(std::map<std::string_view, DecodeFunction> &table);
void addBitOpcodes(std::map<std::string_view, DecodeFunction> &table);
void addFloatOpcodes(std::map<std::string_view, DecodeFunction> &table);
void addCompareOpcodes(std::map<std::string_view, DecodeFunction> &table);
void addConvertOpcodes(std::map<std::string_view, DecodeFunction> &table);
void addMemoryOpcodes(std::map<std::string_view, DecodeFunction> &table);
void addAtomicOpcodes(std::map<std::string_view, DecodeFunction> &table);
void addControlOpcodes(std::map<std::string_view, DecodeFunction> &table);
void addWarpOpcodes(std::map<std::string_view, DecodeFunction> &table);
void addBarrierOpcodes(std::map<std::string_view, DecodeFunction> &table);
void addMbarrierOpcodes(std::map<std::string_view, DecodeFunction> &table);
void addAsyncOpcodes(std::map<std::string_view, DecodeFunction> &table);
void addWgmmaOpcodes(std::map<std::string_view, DecodeFunction> &table);
void addMatrixOpcodes(std::map<std::string_view, DecodeFunction> &table);

/// bar.warp.sync; mbarrier.*; st.async and red.async.
bool decodeWarpBarrier(Decoder &decoder);
bool decodeStoreAsync(Decoder &decoder);
/// Consumes a state space into out.space and out.cluster.
void takeSpace(Decoder &decoder);
/// Consumes the space and everything that says how strong or how cached an
/// access is: it changes nothing in the emulator, where memory is coherent.
void takeMemoryModifiers(Decoder &decoder);

/// Arithmetic on one half, bf16, float or double type; shared by the opcodes
/// that exist for integers too ("add", "min", "neg", ...).
bool decodeFloatArithmetic(Decoder &decoder, Type type);
/// add, sub, mul, fma with .f32x2, which has been taken.
bool decodePackedSingles(Decoder &decoder);

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_DECODER_H
