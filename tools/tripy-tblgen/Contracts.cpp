//===- Contracts.cpp - -gen-contracts: rules and type inference in C++ ----===//
//
// For each operation, the members that its class declares:
//
//   infers = 1:  checkRules(Adaptor in, emit)    the rules on the inputs
//                inferResults(Adaptor in, out)   from `inferred`
//                inferReturnTypes(...)           both, for MLIR
//   infers = 0:  checkRules(Operation *op, emit) the rules on the operation
//   shape:       reifyResultShapes(...)          the sizes of the result
//
// The output is included once, in a source file of the dialect that includes
// tripy/Dialect/Common/Contract.h.
//
//===----------------------------------------------------------------------===//
#include "Generators.h"

#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;
using namespace tripy::tblgen;

/// Opens or closes "::tripy::trace".
static void emitNamespace(StringRef ns, bool open, raw_ostream &os) {
  ns.consume_front("::");
  os << (open ? "namespace " : "} // namespace ") << ns
     << (open ? " {\n\n" : "\n\n");
}

static void emitRule(const Rule &rule, const ContractOp &op, raw_ostream &os) {
  std::string text =
      ("violates [" + op.name() + " " + rule.id + "] " + rule.text).str();
  os << "  if (!("
     << expandNames(rule.check, op, op.record, /*withResults=*/!op.infers)
     << "))\n    return emit() << " << cppString(text);
  if (!rule.got.empty())
    os << "\n                  << \"; \" << "
       << expandNames(rule.got, op, op.record, /*withResults=*/!op.infers);
  os << ";\n";
}

static void emitRules(const ContractOp &op, raw_ostream &os) {
  StringRef cls = op.op.getCppClassName();
  os << "::llvm::LogicalResult " << cls << "::checkRules(\n    "
     << (op.infers ? "Adaptor in" : "::mlir::Operation *op")
     << ", ::llvm::function_ref<::mlir::InFlightDiagnostic()> emit) {\n";
  if (!op.infers && !op.rules.empty())
    os << "  [[maybe_unused]] auto in = ::llvm::cast<" << cls << ">(op);\n";
  for (const Rule &rule : op.rules)
    emitRule(rule, op, os);
  os << "  return ::mlir::success();\n}\n\n";
}

static void emitInference(const ContractOp &op, raw_ostream &os) {
  StringRef cls = op.op.getCppClassName();
  if (!op.inferred.empty())
    os << "void " << cls << "::inferResults(\n"
       << "    [[maybe_unused]] Adaptor in,\n"
       << "    ::llvm::SmallVectorImpl<::mlir::Type> &out) {\n"
       << "  out.push_back("
       << expandNames(op.inferred, op, op.record, /*withResults=*/false)
       << ");\n}\n\n";
  // MLIR writes this one itself when every result has one possible type.
  if (op.op.allResultTypesKnown())
    return;
  os << "::llvm::LogicalResult " << cls << "::inferReturnTypes(\n"
     << "    ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> "
        "loc,\n"
     << "    ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,\n"
     << "    ::mlir::OpaqueProperties properties, ::mlir::RegionRange "
        "regions,\n"
     << "    ::llvm::SmallVectorImpl<::mlir::Type> &out) {\n"
     << "  Adaptor in(operands, attributes, properties, regions);\n"
     << "  if (::mlir::failed(checkRules(in, [&] {\n"
     << "        return ::tripy::inferenceError(context, loc, "
        "getOperationName());\n"
     << "      })))\n"
     << "    return ::mlir::failure();\n"
     << "  inferResults(in, out);\n  return ::mlir::success();\n}\n\n";
}

static void emitShape(const ContractOp &op, raw_ostream &os) {
  os << "::llvm::LogicalResult " << op.op.getCppClassName()
     << "::reifyResultShapes(\n    ::mlir::OpBuilder &builder,\n"
     << "    ::mlir::ReifiedRankedShapedTypeDims &shapes) {\n"
     << "  [[maybe_unused]] auto in = *this;\n"
     << "  ResultShape shape(builder, getLoc());\n"
     << "  shapes.push_back(shape.fitted((*this)->getResult(0), "
     << expandNames(op.shape, op, op.record, /*withResults=*/true)
     << "));\n  return ::mlir::success();\n}\n\n";
}

static bool emitContracts(const RecordKeeper &records, raw_ostream &os) {
  emitSourceFileHeader("Rules and type inference of operations", os, records);
  std::vector<ContractOp> ops = contractOps(records);
  if (ops.empty())
    return false;
  StringRef ns = ops.front().op.getDialect().getCppNamespace();
  emitNamespace(ns, /*open=*/true, os);
  for (const ContractOp &op : ops) {
    emitRules(op, os);
    if (op.infers)
      emitInference(op, os);
    if (!op.shape.empty())
      emitShape(op, os);
  }
  emitNamespace(ns, /*open=*/false, os);
  return false;
}

static mlir::GenRegistration
    registration("gen-contracts",
                 "Generate the rules and type inference of operations",
                 emitContracts);
