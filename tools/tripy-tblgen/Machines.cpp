//===- Machines.cpp - Constants about GPUs --------------------------------===//
//
// -gen-machines: the members of the struct Machine, and its rows.
// -gen-machine-texts: rows TRIPY_MACHINE_FACT("sm_90a", "ptx", ...) for tools.
// -gen-machine-docs: the page. A constant says its unit and what it is; a value
// says where it is from.
//
//===----------------------------------------------------------------------===//
#include "Generators.h"

#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"

#include <map>

using namespace llvm;
using namespace tripy::tblgen;

namespace {
/// A constant's value on one chip.
struct Fact {
  StringRef value;
  /// "measured 2026-11-22: notes.md 17".
  std::string source;
  /// The chip states it, or its card does under another name.
  bool isOwn = true;
};

struct Machine {
  const Record *record = nullptr;
  int64_t version = 0;
  bool isSpecific = false;
  MapVector<const Record *, Fact> facts;

  StringRef name() const { return record->getName(); }
  const Record *like() const { return record->getValueAsOptionalDef("Like"); }
  bool isSameCard() const { return record->getValueAsBit("SameCard"); }
};

struct Machines {
  explicit Machines(const RecordKeeper &records);

  std::vector<const Record *> constants;
  /// By version.
  std::vector<Machine> machines;
};
} // namespace

/// The text of a field that may be unset.
static StringRef textOf(const Record *record, StringRef field) {
  return record->getValueAsOptionalString(field).value_or("").trim();
}

static void checkConstant(const Record *constant) {
  StringRef type = constant->getValueAsString("Type");
  if (type != "int64_t" && type != "double" && type != "int64_t[8]")
    PrintFatalError(constant, "a constant is int64_t, double or int64_t[8]: "
                              "found '" +
                                  type + "'");
  if (textOf(constant, "Unit").empty())
    PrintFatalError(constant,
                    "the constant '" + constant->getName() + "' has no unit");
  if (textOf(constant, "Text").empty())
    PrintFatalError(constant, "the constant '" + constant->getName() +
                                  "' has no sentence that says what it is");
}

static void checkValue(const Record *machine, const Record *constant,
                       StringRef value) {
  StringRef type = constant->getValueAsString("Type");
  StringRef number = "[0-9]+", real = "[0-9]+(\\.[0-9]+)?";
  std::string pattern =
      type == "int64_t" ? number.str() : (real + "( / " + real + ")?").str();
  if (type == "int64_t[8]")
    pattern = ("(" + number + ", ){7}" + number).str();
  if (!Regex("^" + pattern + "$").match(value))
    PrintFatalError(machine, "'" + constant->getName() + "' of '" +
                                 machine->getName() + "' is no " + type +
                                 ": found '" + value + "'");
}

static std::string readSource(const Record *machine, const Record *constant,
                              const Record *source) {
  std::string what =
      ("'" + constant->getName() + "' of '" + machine->getName() + "'").str();
  if (!source)
    PrintFatalError(machine, what + " has no source: doc, measured, fit or "
                                    "guess");
  StringRef kind = source->getValueAsString("Kind");
  StringRef where = textOf(source, "Where"), date = textOf(source, "Date");
  if (kind == "guess")
    return "guess";
  if (kind != "doc" && kind != "measured" && kind != "fit")
    PrintFatalError(machine, "a source is doc, measured, fit or guess: " +
                                 what + " has '" + kind + "'");
  if (where.empty())
    PrintFatalError(machine, "the source of " + what + " names no document");
  bool isDate = Regex("^[0-9]{4}-[0-9]{2}-[0-9]{2}$").match(date);
  if (kind == "measured" && !isDate)
    PrintFatalError(machine, "the measurement of " + what +
                                 " has no date such as 2026-11-22: found '" +
                                 date + "'");
  return (kind + (date.empty() ? "" : " " + date) + ": " + where).str();
}

/// What the chip states, then what the one it is like has.
static Machine readMachine(const Record *record,
                           ArrayRef<const Record *> constants,
                           const std::map<const Record *, Machine> &before) {
  Machine machine;
  machine.record = record;
  StringRef number = record->getName();
  machine.isSpecific = number.consume_back("a");
  if (!number.consume_front("sm_") || number.getAsInteger(10, machine.version))
    PrintFatalError(record, "a machine has a name such as sm_90a: found '" +
                                record->getName() + "'");
  for (const Record *stated : record->getValueAsListOfDefs("Facts")) {
    const Record *constant = stated->getValueAsDef("OfConstant");
    StringRef value = textOf(stated, "Value");
    checkValue(record, constant, value);
    std::string source =
        readSource(record, constant, stated->getValueAsOptionalDef("From"));
    if (!machine.facts.insert({constant, Fact{value, source}}).second)
      PrintFatalError(record, "'" + constant->getName() + "' of '" +
                                  record->getName() + "' is stated twice");
  }
  if (const Record *like = machine.like()) {
    bool isSame = machine.isSameCard();
    for (const auto &[constant, fact] : before.at(like).facts) {
      if (!isSame && !constant->getValueAsBit("Inherited"))
        continue;
      std::string source =
          isSame ? fact.source : ("guess: as on " + like->getName()).str();
      machine.facts.insert({constant, Fact{fact.value, source, isSame}});
    }
  }
  for (const Record *constant : constants)
    if (constant->getValueAsBit("Inherited") &&
        !machine.facts.contains(constant))
      PrintFatalError(record, "'" + record->getName() + "' has no value of '" +
                                  constant->getName() + "'");
  return machine;
}

Machines::Machines(const RecordKeeper &records)
    : constants(definedRecords(records, "Constant")) {
  for (const Record *constant : constants)
    checkConstant(constant);
  std::map<const Record *, Machine> read;
  for (const Record *record : definedRecords(records, "Machine")) {
    Machine machine = readMachine(record, constants, read);
    read[record] = machine;
    machines.push_back(machine);
  }
  llvm::sort(machines, [](const Machine &a, const Machine &b) {
    return std::pair(a.version, a.isSpecific) <
           std::pair(b.version, b.isSpecific);
  });
}

/// "double" and "sharedRate", or "int64_t" and "residentClusters[8]".
static void emitMember(const Record *constant, raw_ostream &os) {
  auto [type, size] = constant->getValueAsString("Type").split('[');
  os << "  /// " << textOf(constant, "Text")
     << " Unit: " << textOf(constant, "Unit") << ".\n  " << type << " "
     << constant->getName();
  if (size.empty())
    os << " = 1;\n";
  else
    os << "[" << size << " = {1, 1, 1, 1, 1, 1, 1, 1};\n";
}

/// {.name = "sm_90a", ...}, with the constants in the order of the members.
static void emitRow(const Machine &machine, ArrayRef<const Record *> constants,
                    raw_ostream &os) {
  std::string line =
      ("{.name = \"" + machine.name() +
       "\", .version = " + Twine(machine.version) +
       ", .isSpecific = " + (machine.isSpecific ? "true" : "false"))
          .str();
  for (const Record *constant : constants) {
    auto at = machine.facts.find(constant);
    if (at == machine.facts.end())
      continue;
    bool isArray = constant->getValueAsString("Type").contains('[');
    std::string value = at->second.value.str();
    std::string member = ("." + constant->getName() + " = " +
                          (isArray ? "{" + value + "}" : value))
                             .str();
    if (line.size() + member.size() > 116) {
      os << line << ",\n";
      line = " " + member;
    } else {
      line += ", " + member;
    }
  }
  os << line << "},\n";
}

static bool emitMachines(const RecordKeeper &records, raw_ostream &os) {
  Machines all(records);
  os << "// generated by tripy-tblgen -gen-machines; do not edit\n"
     << "#ifdef GET_MACHINE_MEMBERS\n#undef GET_MACHINE_MEMBERS\n";
  for (const Record *constant : all.constants)
    emitMember(constant, os);
  os << "#endif\n#ifdef GET_MACHINES\n#undef GET_MACHINES\n";
  for (const Machine &machine : all.machines)
    emitRow(machine, all.constants, os);
  os << "#endif\n";
  return false;
}

static bool emitTexts(const RecordKeeper &records, raw_ostream &os) {
  Machines all(records);
  for (const Machine &machine : all.machines) {
    os << "TRIPY_MACHINE(" << cppString(machine.name()) << ", "
       << cppString(textOf(machine.record, "Cards")) << ")\n";
    for (const Record *constant : all.constants) {
      auto at = machine.facts.find(constant);
      if (at == machine.facts.end())
        continue;
      os << "TRIPY_MACHINE_FACT(" << cppString(machine.name()) << ", "
         << cppString(constant->getName()) << ", "
         << cppString(at->second.value) << ", "
         << cppString(textOf(constant, "Unit")) << ", "
         << cppString(at->second.source) << ", "
         << cppString(textOf(constant, "Text")) << ")\n";
    }
  }
  return false;
}

static bool emitDocs(const RecordKeeper &records, raw_ostream &os) {
  Machines all(records);
  os << "<!-- generated by tripy-tblgen -gen-machine-docs; do not edit -->\n\n"
     << "# Constants about GPUs\n\n"
     << "The limits and rates of GPUs that the compiler assumes, from\n"
     << "`include/tripy/Base/Machines.td`. `tripy-compile "
        "--print-machine=sm_90a`\n"
     << "prints all values for one GPU.\n\n"
     << "A value is from a document of NVIDIA's (doc), was measured on the "
        "day\n"
     << "and as described in the notes that are named, was fitted so that a\n"
     << "model agrees with measurements of something else (fit), or is a\n"
     << "guess.\n\n"
     << "| constant | unit | meaning |\n|---|---|---|\n";
  for (const Record *constant : all.constants)
    os << "| `" << constant->getName() << "` | "
       << markdownCell(textOf(constant, "Unit")) << " | "
       << markdownCell(textOf(constant, "Text")) << " |\n";
  for (const Machine &machine : all.machines) {
    os << "\n## " << machine.name() << "\n\n"
       << textOf(machine.record, "Cards") << ".";
    if (const Record *like = machine.like())
      os << (machine.isSameCard() ? " All values are those of "
                                  : " Other values are guesses, taken from ")
         << like->getName() << ".";
    os << "\n";
    if (machine.isSameCard())
      continue;
    os << "\n| constant | value | source |\n|---|--:|---|\n";
    for (const Record *constant : all.constants) {
      auto at = machine.facts.find(constant);
      if (at != machine.facts.end() && at->second.isOwn)
        os << "| `" << constant->getName() << "` | " << at->second.value
           << " | " << markdownCell(at->second.source) << " |\n";
    }
  }
  return false;
}

static mlir::GenRegistration
    machines("gen-machines", "Generate the constants about GPUs", emitMachines);
static mlir::GenRegistration texts("gen-machine-texts",
                                   "Generate C++ rows of constants about GPUs",
                                   emitTexts);
static mlir::GenRegistration docs("gen-machine-docs",
                                  "Generate the page of constants about GPUs",
                                  emitDocs);
