//===- Generators.h - What the modes of tripy-tblgen share ----------------===//
//
// Reading TripyContract records and writing C++ text. Used by this tool alone.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TBLGEN_GENERATORS_H
#define TRIPY_TOOLS_TBLGEN_GENERATORS_H

#include "mlir/TableGen/Operator.h"
#include "llvm/TableGen/Record.h"

namespace tripy::tblgen {

/// One numbered rule of an operation, as written in its definition.
struct Rule {
  llvm::StringRef id;
  llvm::StringRef text;
  llvm::StringRef check;
  llvm::StringRef got;
  const llvm::Record *record;
};

/// An operation with its contract.
struct ContractOp {
  explicit ContractOp(const llvm::Record *record);

  /// "trace.concatenate".
  std::string name() const { return op.getOperationName(); }

  const llvm::Record *record;
  mlir::tblgen::Operator op;
  std::vector<Rule> rules;
  /// See TripyContract in OpBase.td.
  bool infers;
  llvm::StringRef inferred;
  llvm::StringRef shape;
};

/// All operations with a contract, in the order of their definition. Rules that
/// are not numbered C1, C2, ... end the tool with an error at their line.
std::vector<ContractOp> contractOps(const llvm::RecordKeeper &records);

/// All records of `className` by order of definition.
std::vector<const llvm::Record *>
definedRecords(const llvm::RecordKeeper &records, llvm::StringRef className);

/// Replaces `$name` by the getter of the operation's operand, attribute,
/// property, region or (with `withResults`) result of that name. An unknown
/// name ends the tool with an error at the rule's line.
std::string expandNames(llvm::StringRef text, const ContractOp &op,
                        const llvm::Record *where, bool withResults);

/// `text` as a C++ string literal, quotes included.
std::string cppString(llvm::StringRef text);

/// A paragraph as one line of a Markdown table.
std::string markdownCell(llvm::StringRef text);

} // namespace tripy::tblgen

#endif // TRIPY_TOOLS_TBLGEN_GENERATORS_H
