//===- Lowering.h - Graphs as programs for the compiler ---------*- C++ -*-===//
//
// What the frontend asks of the part of it that knows MLIR (lib/Frontend/
// Lowering): result types of one operation, and machine code of a graph. All
// of it is plain data; errors are Status. Threads may call at the same time.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_LOWERING_H
#define TRIPY_LIB_FRONTEND_LOWERING_H

#include "OpTable.h"

#include "tripy/Base/DType.h"
#include "tripy/Base/Status.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tripy::frontend {

/// A size that only the run decides, in a list of sizes.
inline constexpr int64_t dynamicSize = std::numeric_limits<int64_t>::min();

/// The type of a value; each is one object (see internType()).
struct TypeInfo {
  /// A size: no tensor, `dtype` and `sizes` do not count.
  bool isSize = false;
  DType dtype = DType::F32;
  std::vector<int64_t> sizes;
  friend bool operator==(const TypeInfo &, const TypeInfo &) = default;
};

/// A number with the element type that it gets.
struct TypedNumber {
  std::variant<bool, int64_t, double> value;
  DType dtype;
};

struct PluginDeclaration;

/// An attribute's value; nothing where it is not given.
using AttributeValue =
    std::variant<std::monostate, bool, int64_t, double, std::string, DType,
                 TypedNumber, std::vector<int64_t>, std::vector<double>,
                 std::shared_ptr<const PluginDeclaration>>;

/// A line of the user's program; texts outlive the call.
struct Place {
  const char *file = "";
  const char *function = "";
  uint32_t line = 0, column = 0;
  /// The calls that led there, innermost first, or null.
  const std::vector<Place> *callers = nullptr;
};

/// One operation. Operands are in groups, one for each of the table's.
struct OperationView {
  Op op;
  std::span<const uint32_t> groups;
  std::span<const AttributeValue> attributes;
};

/// Result types, by the rules of the operation. Errors: InvalidArgument with
/// the broken rule.
Result<std::vector<TypeInfo>>
inferTypes(const OperationView &operation,
           std::span<const TypeInfo *const> operands);

struct ProgramInput {
  const TypeInfo *type = nullptr;
  std::string name;
  /// Where it is in the arguments of the compiled function.
  std::string path;
  Place place;
  /// Sizes of the profile; empty where all are static.
  std::vector<int64_t> smallest, usual, largest;
  /// Names of dimensions; empty, or one for each.
  std::vector<std::string> dimensions;
  /// The elements, for an input that is part of the program; they outlive the
  /// call. Else each run gives it.
  const void *constant = nullptr;
  /// A weight, which is bound once when the program is loaded.
  bool isParameter = false;
};

struct ProgramStep {
  OperationView operation;
  /// Numbers of values: those of the inputs, then the results of the steps.
  std::vector<uint32_t> operands;
  std::vector<const TypeInfo *> results;
  Place place;
  std::string name;
};

struct GraphProgram {
  std::vector<ProgramInput> inputs;
  std::vector<ProgramStep> steps;
  std::vector<uint32_t> outputs;
  std::vector<std::string> outputNames;
};

struct LoweringOptions {
  /// "cpu" or "cuda:sm_90a".
  std::string target = "cpu";
  /// Checks of the compiler's own work between the levels.
  bool verify = true;
  /// As CompileSettings has them.
  std::string cpu = "native", backends = "own", tuningFile, tuningDevice;
  bool strictShapes = false;
  /// Several threads may compile one program.
  bool threads = false;
  /// Called with what is done of a stage; false cancels. Throws nothing. One
  /// thread calls at a time.
  std::function<bool(std::string_view stage, size_t done, size_t total)>
      progress;
  /// Called with the text of the compiler's warnings, after it succeeded.
  std::function<void(std::string_view text)> warnings;
};

/// The bytes of an executable file. Errors: InvalidArgument with the text that
/// the compiler's diagnostics print, the user's lines among them, or with one
/// sentence about an option; Cancelled.
Result<std::vector<uint8_t>> compileGraph(const GraphProgram &program,
                                          const LoweringOptions &options);

/// A name for what compiling a graph of this structure gives: it depends on the
/// structure, the options, this machine's processor and the very code of the
/// compiler. Empty where the compiler has no identity; then nothing may be
/// kept.
std::string programKey(std::string_view structure,
                       const LoweringOptions &options);
/// The folder for programs that are kept between processes; "" for none.
std::string programFolder();

/// The program in MLIR's text, before any pass.
Result<std::string> printGraph(const GraphProgram &program);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_LOWERING_H
