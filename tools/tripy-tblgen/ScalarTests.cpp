//===- ScalarTests.cpp - -gen-scalar-tests: tests of the table's rows -----===//
//
// For each operation of a dialect that stands for a row of ScalarFns.td, IR in
// generic form: a function @ok_<op> for each allowed class of element types,
// and a function @C<n> for each rule, which breaks that rule alone and expects
// its error. A new row is tested without a new file.
//
//===----------------------------------------------------------------------===//
#include "Generators.h"

#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"

using namespace llvm;
using namespace tripy::tblgen;

namespace {
/// The types of a test: of the operands (the second is ignored when there is
/// one), and of the result.
struct Types {
  StringRef lhs, rhs, result;
};
/// A class of element types with tensors of it, and of comparing them.
struct ElementClass {
  StringRef name;
  Types types;
};
} // namespace

static const ElementClass elementClasses[] = {
    {"float", {"tensor<2xf32>", "tensor<2xf32>", "tensor<2xf32>"}},
    {"integer", {"tensor<2xi32>", "tensor<2xi32>", "tensor<2xi32>"}},
    {"bool", {"tensor<2xi1>", "tensor<2xi1>", "tensor<2xi1>"}}};

static const Types ofNoClass = {"tensor<2xf8E5M2>", "tensor<2xf8E5M2>",
                                "tensor<2xf8E5M2>"};

/// The rule on element types, whose text lists the allowed classes.
static const Rule *elementRule(const ContractOp &op) {
  for (const Rule &rule : op.rules)
    if (rule.record->isSubClassOf("ElementClassRule"))
      return &rule;
  return nullptr;
}

static bool isAllowed(const ContractOp &op, StringRef elementClass) {
  const Rule *rule = elementRule(op);
  return !rule || rule->text.split(':').second.contains(elementClass);
}

/// Types that break `rule` and no other.
static Types breaking(const ContractOp &op, const Rule &rule) {
  if (rule.record->isSubClassOf("ElementClassRule")) {
    for (const ElementClass &element : elementClasses)
      if (!isAllowed(op, element.name))
        return element.types;
    return ofNoClass;
  }
  if (rule.text == "both operands have one element type")
    return {"tensor<2xf32>", "tensor<2xf16>", "tensor<2xf32>"};
  if (rule.text.starts_with("aligned at the last dimension"))
    return {"tensor<2x3xf32>", "tensor<4xf32>", "tensor<2x3xf32>"};
  if (rule.text == "the result has at most 2^40 elements")
    return {"tensor<1048577x1xf32>", "tensor<1x1048577xf32>", "tensor<2xf32>"};
  PrintFatalError(op.record, "-gen-scalar-tests has no test of rule " +
                                 rule.id + " of '" + op.name() + "'");
}

static void emitFunction(const ContractOp &op, const Twine &name, Types types,
                         const Twine &expected, raw_ostream &os) {
  bool binary = op.op.getNumOperands() == 2;
  os << "func.func @" << name << "(%a: " << types.lhs;
  if (binary)
    os << ", %b: " << types.rhs;
  os << ") {\n"
     << expected << "  %r = \"" << op.name() << "\"(%a"
     << (binary ? ", %b" : "") << ") : (" << types.lhs;
  if (binary)
    os << ", " << types.rhs;
  os << ") -> " << types.result << "\n  return\n}\n\n// -----\n\n";
}

static void emitOp(const ContractOp &op, bool compares, raw_ostream &os) {
  std::string name = op.name();
  StringRef mnemonic = StringRef(name).split('.').second;
  for (const ElementClass &element : elementClasses) {
    Types types = element.types;
    if (compares)
      types.result = "tensor<2xi1>";
    if (isAllowed(op, element.name))
      emitFunction(op, "ok_" + mnemonic + "_" + element.name, types, "", os);
  }
  for (const Rule &rule : op.rules)
    emitFunction(op, rule.id, breaking(op, rule),
                 "  // expected-error @below {{violates [" + op.name() + " " +
                     rule.id + "] " + rule.text + "}}\n",
                 os);
}

static bool emitScalarTests(const RecordKeeper &records, raw_ostream &os) {
  StringSet<> functions, comparisons;
  for (const Record *row : definedRecords(records, "ScalarFn"))
    functions.insert(row->getValueAsString("mnemonic"));
  for (const Record *row : definedRecords(records, "Comparison"))
    comparisons.insert(row->getValueAsString("mnemonic"));
  for (const ContractOp &op : contractOps(records)) {
    std::string name = op.name();
    StringRef mnemonic = StringRef(name).split('.').second;
    if (functions.contains(mnemonic) || comparisons.contains(mnemonic))
      emitOp(op, comparisons.contains(mnemonic), os);
  }
  return false;
}

static mlir::GenRegistration
    registration("gen-scalar-tests",
                 "Generate tests of the operations of scalar functions",
                 emitScalarTests);
