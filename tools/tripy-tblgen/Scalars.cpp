//===- Scalars.cpp - -gen-scalars: the table of scalar functions in C++ ---===//
//
// Five sections of one file, chosen by the macro defined before it is
// included (tripy/Dialect/Common/ScalarFns.h documents the result):
//
//   GET_SCALAR_ENUMS      enum class ScalarFn and ComparisonFn
//   GET_SCALAR_TABLE      the rows of ScalarFnInfo and ComparisonInfo
//   GET_SCALAR_REFERENCE  evaluateFloat, evaluateInt, evaluateBool, compare
//   GET_SCALAR_BUILDERS   buildFloat, buildInt, buildBool
//   GET_SCALAR_READINGS   the operations whose Reading is not Jumps
//
//===----------------------------------------------------------------------===//
#include "Generators.h"

#include "mlir/TableGen/GenInfo.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;
using namespace tripy::tblgen;

namespace {
/// The three classes of element types, and what a row says about each.
struct TypeClass {
  StringRef name;
  StringRef cppType;
  StringRef form;
  StringRef reference;
};
} // namespace

static const TypeClass typeClasses[] = {
    {"Float", "double", "floatForm", "floatReference"},
    {"Int", "int64_t", "intForm", "intReference"},
    {"Bool", "bool", "boolForm", "boolReference"}};

using Rows = std::vector<const Record *>;

static bool isDefined(const Record *row, const TypeClass &type) {
  return !row->getValueAsString(type.form).empty();
}

/// The operation that a row's form for floats creates; empty for other forms.
static StringRef floatOperation(const Record *row) {
  StringRef form = row->getValueAsString("floatForm");
  return form.consume_front("scalar::create<") && form.consume_back(">")
             ? form
             : StringRef();
}

/// A row says how a function is computed exactly where it says what it means.
static void checkRow(const Record *row) {
  bool any = false;
  for (const TypeClass &type : typeClasses) {
    bool defined = isDefined(row, type);
    any |= defined;
    if (defined == row->getValueAsString(type.reference).empty())
      PrintFatalError(row, "'" + type.form + "' and '" + type.reference +
                               "' are given together: one is empty");
  }
  if (!any)
    PrintFatalError(row, "a scalar function has a form for at least one class "
                         "of element types");
  if (row->getValueAsString("reading") != "Jumps" &&
      floatOperation(row).empty())
    PrintFatalError(row, "'reading' is said of a 'floatForm' that is one "
                         "operation");
}

static void emitEnum(StringRef name, const Rows &rows, raw_ostream &os) {
  os << "enum class " << name << " : unsigned char {\n";
  for (const Record *row : rows)
    os << "  " << row->getValueAsString("cppName") << ",\n";
  os << "};\n";
}

static void emitTables(const Rows &fns, const Rows &comparisons,
                       raw_ostream &os) {
  os << "static constexpr ScalarFnInfo scalarFnRows[] = {\n";
  for (const Record *row : fns) {
    os << "    {" << cppString(row->getValueAsString("mnemonic")) << ", "
       << row->getValueAsInt("arity");
    for (const TypeClass &type : typeClasses)
      os << (isDefined(row, type) ? ", true" : ", false");
    os << ", " << row->getValueAsInt("ulp") << ", "
       << row->getValueAsString("low") << ", " << row->getValueAsString("high")
       << ",\n     " << cppString(row->getValueAsString("summary")) << "},\n";
  }
  os << "};\n\nstatic constexpr ComparisonInfo comparisonRows[] = {\n";
  for (const Record *row : comparisons)
    os << "    {" << cppString(row->getValueAsString("mnemonic"))
       << ", ::mlir::arith::CmpFPredicate::"
       << row->getValueAsString("floatPredicate")
       << ",\n     ::mlir::arith::CmpIPredicate::"
       << row->getValueAsString("intPredicate") << "},\n";
  os << "};\n";
}

static void emitReference(const Rows &fns, const TypeClass &type,
                          raw_ostream &os) {
  StringRef bits = type.name == "Int"
                       ? StringRef(", [[maybe_unused]] unsigned bits")
                       : StringRef();
  os << "static " << type.cppType << " evaluate" << type.name
     << "(ScalarFn fn, " << type.cppType << " x, [[maybe_unused]] "
     << type.cppType << " y" << bits << ") {\n  switch (fn) {\n";
  for (const Record *row : fns)
    if (isDefined(row, type))
      os << "  case ScalarFn::" << row->getValueAsString("cppName")
         << ":\n    return " << row->getValueAsString(type.reference) << ";\n";
  os << "  default:\n    break;\n  }\n"
     << "  llvm_unreachable(\"not defined for this class of element "
        "types\");\n}\n\n";
}

static void emitCompare(const Rows &comparisons, raw_ostream &os) {
  os << "template <typename T>\n"
     << "static bool compareValues(ComparisonFn fn, T x, T y) {\n"
     << "  switch (fn) {\n";
  for (const Record *row : comparisons)
    os << "  case ComparisonFn::" << row->getValueAsString("cppName")
       << ":\n    return " << row->getValueAsString("reference") << ";\n";
  os << "  }\n  llvm_unreachable(\"all comparisons are covered\");\n}\n";
}

static void emitBuilder(const Rows &fns, const TypeClass &type,
                        raw_ostream &os) {
  os << "static ::mlir::Value build" << type.name
     << "(ScalarFn fn, ::mlir::OpBuilder &builder,\n"
     << "                          ::mlir::Location loc, ::mlir::ValueRange "
        "operands) {\n  switch (fn) {\n";
  for (const Record *row : fns)
    if (isDefined(row, type))
      os << "  case ScalarFn::" << row->getValueAsString("cppName")
         << ":\n    return " << row->getValueAsString(type.form)
         << "(builder, loc, operands);\n";
  os << "  default:\n    return {};\n  }\n}\n\n";
}

static void emitReadings(const Rows &fns, raw_ostream &os) {
  os << "static Reading readingOfFloat(::mlir::Operation *op) {\n";
  for (const Record *row : fns)
    if (StringRef reading = row->getValueAsString("reading");
        reading != "Jumps")
      os << "  if (::llvm::isa<" << floatOperation(row) << ">(op))\n"
         << "    return Reading::" << reading << ";\n";
  os << "  return Reading::Jumps;\n}\n";
}

static void emitSection(StringRef macro, raw_ostream &os,
                        function_ref<void()> body) {
  os << "#ifdef " << macro << "\n#undef " << macro << "\n\n";
  body();
  os << "\n#endif // " << macro << "\n\n";
}

static bool emitScalars(const RecordKeeper &records, raw_ostream &os) {
  Rows fns = definedRecords(records, "ScalarFn");
  Rows comparisons = definedRecords(records, "Comparison");
  for (const Record *row : fns)
    checkRow(row);
  emitSourceFileHeader("Scalar functions and comparisons", os, records);
  emitSection("GET_SCALAR_ENUMS", os, [&] {
    os << "/// The rows of ScalarFns.td.\n";
    emitEnum("ScalarFn", fns, os);
    os << "\n/// The comparisons of ScalarFns.td.\n";
    emitEnum("ComparisonFn", comparisons, os);
  });
  emitSection("GET_SCALAR_TABLE", os,
              [&] { emitTables(fns, comparisons, os); });
  emitSection("GET_SCALAR_REFERENCE", os, [&] {
    for (const TypeClass &type : typeClasses)
      emitReference(fns, type, os);
    emitCompare(comparisons, os);
  });
  emitSection("GET_SCALAR_BUILDERS", os, [&] {
    for (const TypeClass &type : typeClasses)
      emitBuilder(fns, type, os);
  });
  emitSection("GET_SCALAR_READINGS", os, [&] { emitReadings(fns, os); });
  return false;
}

static mlir::GenRegistration
    registration("gen-scalars", "Generate the table of scalar functions",
                 emitScalars);
