//===- Ptx.h - The text of PTX, parsed --------------------------*- C++ -*-===//
//
// What the parser hands to the decoder: statements with their operands
// resolved to registers, constants and addresses. No semantics yet.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_EMULATOR_PTX_H
#define TRIPY_LIB_EMULATOR_PTX_H

#include "Emulator.h"

#include <map>
#include <optional>

namespace tripy::emulator {

/// State spaces an address can be in.
enum class Space : uint8_t { Generic, Global, Const, Shared, Local, Param };

/// A declared register: where it lies in the register file of a warp and how
/// many bytes one lane has. A predicate has 0: it is one mask of 32 bits.
struct Register {
  uint32_t offset = 0;
  uint8_t bytes = 0;
  bool isPredicate() const { return bytes == 0; }
};

/// Registers that the hardware defines. Those up to LastFixed hold one value
/// per lane during a whole launch.
enum class Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NwarpId,
  SmId,
  NsmId,
  GridId,
  WarpSize,
  ClusterCtaidX,
  ClusterCtaidY,
  ClusterCtaidZ,
  ClusterNctaidX,
  ClusterNctaidY,
  ClusterNctaidZ,
  ClusterCtarank,
  ClusterNctarank,
  ClusteridX,
  ClusteridY,
  ClusteridZ,
  NclusteridX,
  NclusteridY,
  NclusteridZ,
  IsExplicitCluster,
  LanemaskEq,
  LanemaskLt,
  LanemaskLe,
  LanemaskGt,
  LanemaskGe,
  DynamicSmemSize,
  TotalSmemSize,
  ParamBase,
  LastFixed = ParamBase,
  Clock,
  Clock64,
  ClockHi,
  GlobalTimer,
};

enum class OperandKind : uint8_t {
  Register, // register
  Integer,  // value
  Float32,  // value: bits
  Float64,  // value: bits
  Special,  // special
  Address,  // a symbol: space, value = address in its space
  Memory,   // [ elements[0] + value ], elements[1..] after commas
  Vector,   // { elements }
  Sink,     // _
  Label,    // name
};

struct Operand {
  OperandKind kind = OperandKind::Sink;
  Register reg;
  bool negated = false; // !%p
  int64_t value = 0;
  Special special = Special::TidX;
  Space space = Space::Generic;
  /// The address counts from the end of static shared memory.
  bool dynamicShared = false;
  std::string name;
  std::vector<Operand> elements;
};

/// One instruction as written.
struct Statement {
  uint32_t line = 0, scope = 0;
  bool guarded = false, guardNegated = false;
  Register guard;
  std::string opcode;
  std::vector<Operand> operands;
  /// Indices of operands that were joined to their successor by '|'.
  uint32_t pairs = 0;
  /// Bytes that a load uses, one bit each, by .pragma "used_bytes_mask".
  uint64_t usedBytes = ~uint64_t(0);
};

/// A constant that lies broadcast in the register file.
struct Constant {
  uint32_t offset = 0;
  uint8_t bytes = 4;
  uint64_t value = 0;
  bool dynamicShared = false;
};

/// A kernel's text: what the parser knows at the end of a body.
struct KernelText {
  Function function;
  std::vector<Statement> statements;
  /// (scope, name) -> index of a statement.
  std::map<std::pair<uint32_t, std::string>, uint32_t> labels;
  /// Name of a .branchtargets -> the labels it lists.
  std::map<std::string, std::vector<std::string>> branchTargets;
  /// Enclosing scope of each scope; scope 0 is the body.
  std::vector<uint32_t> parents;
  uint32_t registerBytes = 0;
  uint32_t localBytes = 0;
  uint32_t dynamicAlignment = 1;
};

/// Decodes the statements into function.body.
Status decodeKernel(KernelText &text);

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_PTX_H
