//===- main.cpp - tripy-tblgen: what mlir-tblgen does not emit ------------===//
//
// One file per mode; each registers itself. This file reads the records.
//
//===----------------------------------------------------------------------===//
#include "Generators.h"

#include "mlir/Tools/mlir-tblgen/MlirTblgenMain.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"

using namespace llvm;
using namespace tripy::tblgen;

ContractOp::ContractOp(const Record *record)
    : record(record), op(record), infers(record->getValueAsBit("infers")),
      inferred(record->getValueAsString("inferred")),
      shape(record->getValueAsString("shape")) {
  for (const Record *rule : record->getValueAsListOfDefs("rules")) {
    Rule entry{rule->getValueAsString("id"), rule->getValueAsString("text"),
               rule->getValueAsString("check"), rule->getValueAsString("got"),
               rule};
    std::string expected = "C" + std::to_string(rules.size() + 1);
    if (entry.id != expected)
      PrintFatalError(record, "rules of '" + name() +
                                  "' are numbered C1, C2, ...: expected " +
                                  expected + ", found " + entry.id);
    if (entry.text.empty() || entry.check.empty())
      PrintFatalError(record, "rule " + entry.id + " of '" + name() +
                                  "' has a text and a check: one is empty");
    rules.push_back(entry);
  }
  if (!infers && !inferred.empty())
    PrintFatalError(record, "'inferred' is for operations that infer their "
                            "results: '" +
                                name() + "' does not");
}

std::vector<const Record *>
tripy::tblgen::definedRecords(const RecordKeeper &records,
                              StringRef className) {
  if (!records.getClass(className))
    return {};
  std::vector<const Record *> found(
      records.getAllDerivedDefinitions(className));
  llvm::sort(found, [](const Record *a, const Record *b) {
    return a->getID() < b->getID();
  });
  return found;
}

std::vector<ContractOp>
tripy::tblgen::contractOps(const RecordKeeper &records) {
  std::vector<ContractOp> ops;
  for (const Record *record : definedRecords(records, "TripyContract"))
    ops.emplace_back(record);
  return ops;
}

/// The getter that `name` stands for, or nothing.
static std::string getterOf(StringRef name, const ContractOp &op,
                            bool withResults) {
  auto isNamed = [&](const auto &value) { return value.name == name; };
  bool known = any_of(op.op.getOperands(), isNamed) ||
               any_of(op.op.getAttributes(), isNamed) ||
               any_of(op.op.getProperties(), isNamed) ||
               any_of(op.op.getRegions(), isNamed) ||
               (withResults && any_of(op.op.getResults(), isNamed));
  return known ? "in." + op.op.getGetterName(name) + "()" : std::string();
}

std::string tripy::tblgen::expandNames(StringRef text, const ContractOp &op,
                                       const Record *where, bool withResults) {
  std::string out;
  while (!text.empty()) {
    size_t dollar = text.find('$');
    out += text.take_front(dollar);
    if (dollar == StringRef::npos)
      break;
    text = text.drop_front(dollar + 1);
    StringRef name =
        text.take_while([](char c) { return isAlnum(c) || c == '_'; });
    std::string getter = getterOf(name, op, withResults);
    if (getter.empty())
      PrintFatalError(where->getLoc(),
                      "a rule of '" + op.name() +
                          "' names an operand, attribute or property" +
                          (withResults ? Twine(", or a result") : Twine()) +
                          ": found '$" + name + "'");
    out += getter;
    text = text.drop_front(name.size());
  }
  return out;
}

std::string tripy::tblgen::cppString(StringRef text) {
  std::string out;
  raw_string_ostream stream(out);
  stream << '"';
  for (char c : text) {
    if (c == '"' || c == '\\')
      stream << '\\' << c;
    else if (c == '\n')
      stream << "\\n";
    else if (isPrint(c) || static_cast<unsigned char>(c) >= 0x80)
      stream << c;
    else // Three octal digits, so that no digit after it is taken along.
      stream << '\\' << static_cast<char>('0' + ((c >> 6) & 3))
             << static_cast<char>('0' + ((c >> 3) & 7))
             << static_cast<char>('0' + (c & 7));
  }
  stream << '"';
  return out;
}

std::string tripy::tblgen::markdownCell(StringRef text) {
  std::string out;
  for (char c : text.trim())
    if (c == '|')
      out += "\\|";
    else
      out += c == '\n' ? ' ' : c;
  return out;
}

int main(int argc, char **argv) { return mlir::MlirTblgenMain(argc, argv); }
