//===- Functions.cpp - -gen-cpp-*: operations as C++ functions ------------===//
//
//   -gen-cpp-decls    declarations with comments, for users
//   -gen-cpp-defs     their bodies, which record a node
//   -gen-cpp-table    TRIPY_OP rows: name, operands and attributes
//   -gen-cpp-members  members of Tensor that say which function was meant
//
// Parameters are the operands and then the attributes of the definition; those
// that may be left out come last, and more than two of them are a struct. A
// list of sizes is one parameter: `sizes` with the attribute `staticSizes`.
//
//===----------------------------------------------------------------------===//
#include "Examples.h"
#include "Generators.h"

#include "Frontend/Lowering/UserTerms.h"

#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"

#include <map>

using namespace llvm;
using namespace tripy::tblgen;

namespace {

/// What a parameter is in C++, and which call records it.
struct CppForm {
  /// Enumerator of frontend::AttributeKind or OperandKind.
  StringRef kind;
  StringRef type;
  /// As a parameter; "" stands for `type`.
  StringRef parameterType;
};

struct Parameter {
  std::string name;
  CppForm form;
  /// Its C++ expression; "" where it must be given.
  std::string defaultValue;
};

/// What is written by hand about operations: see Frontend/Functions.td.
struct Surface {
  explicit Surface(const RecordKeeper &records);
  std::map<std::pair<std::string, std::string>, std::string> defaults;
  std::map<std::string, std::string> operators;
  std::map<std::string, bool> byHand, none;
};

/// A function of C++.
class CppFunction {
public:
  CppFunction(const ContractOp &op, const Surface &surface);

  void declare(const Examples &examples, raw_ostream &os) const;
  void define(raw_ostream &os) const;
  void describe(raw_ostream &os) const;
  /// Whether sizes or dimensions stand behind the tensor, as for reshape().
  bool takesList() const;

  std::string name, mnemonic;
  bool isHidden, isOperator;

private:
  void addOperands(const Surface &surface);
  void addAttributes(const Surface &surface);
  void add(Parameter parameter, const Surface &surface);
  void emitComment(const Examples &examples, raw_ostream &os) const;
  void emitOptions(raw_ostream &os) const;
  void emitSignature(raw_ostream &os, bool declares) const;
  void emitRecording(raw_ostream &os) const;
  std::string resultType() const;
  bool hasOptions() const { return !isOperator && optional.size() > 2; }
  std::string optionsName() const;
  /// The expression of a parameter in the function's body.
  std::string use(StringRef parameter) const;
  const Parameter &find(StringRef parameter) const;

  const ContractOp &op;
  std::vector<Parameter> required, optional;
};

} // namespace

Surface::Surface(const RecordKeeper &records) {
  auto text = [](const Record *record, StringRef field) {
    return record->getValueAsString(field).str();
  };
  for (const Record *record : definedRecords(records, "CppDefault"))
    defaults[{text(record, "operation"), text(record, "parameter")}] =
        text(record, "value");
  for (const Record *record : definedRecords(records, "CppOperator"))
    operators[text(record, "operation")] = text(record, "name");
  for (const Record *record : definedRecords(records, "CppByHand"))
    byHand[text(record, "operation")] = true;
  for (const Record *record : definedRecords(records, "CppNone"))
    none[text(record, "operation")] = true;
}

//===-- forms -------------------------------------------------------------===//

static const CppForm sizesForm = {"Sizes", "Shape", "const Shape &"};

static CppForm attributeForm(const mlir::tblgen::NamedAttribute &named,
                             const ContractOp &op) {
  StringRef name = named.attr.getBaseAttr().getAttrDefName();
  CppForm form =
      StringSwitch<CppForm>(name)
          .Case("I64Attr", {"Integer", "int64_t", ""})
          .Case("I32Attr", {"Integer32", "int64_t", ""})
          .Case("F64Attr", {"Float", "double", ""})
          .Case("F32Attr", {"Float32", "double", ""})
          .Case("UnitAttr", {"Unit", "bool", ""})
          .Case("BoolAttr", {"Bool", "bool", ""})
          .Case("StrAttr", {"String", "std::string", "const std::string &"})
          .Case("TypeAttr", {"Type", "DType", ""})
          .Case("DenseI64ArrayAttr", {"Integers", "Dims", "const Dims &"})
          .Case("DenseF64ArrayAttr", {"DenseFloats", "std::vector<double>",
                                      "const std::vector<double> &"})
          .Case("F64ArrayAttr", {"Floats", "std::vector<double>",
                                 "const std::vector<double> &"})
          .Case("TypedAttrInterface", {"Number", "Number", ""})
          .Case("ElementsAttr", {"Elements", "", ""})
          .Default({});
  if (form.kind.empty())
    PrintFatalError(op.record, "attribute '" + named.name + "' of '" +
                                   op.name() + "' is a '" + name +
                                   "', which has no form in C++: give it one "
                                   "in tripy-tblgen's Functions.cpp and in "
                                   "lib/Frontend/Lowering/Attributes.cpp");
  return form;
}

static bool isIndex(const mlir::tblgen::NamedTypeConstraint &value) {
  return value.constraint.getDef().getName() == "Index" ||
         value.constraint.getUniqueDefName() == "Index" ||
         value.constraint.getSummary().contains("index");
}

static CppForm operandForm(const mlir::tblgen::NamedTypeConstraint &value) {
  if (isIndex(value))
    return value.isVariadic() ? sizesForm
                              : CppForm{"Size", "Size", "const Size &"};
  if (value.isOptional())
    return {"Optional", "std::optional<Tensor>",
            "const std::optional<Tensor> &"};
  if (value.isVariadic())
    return {"Tensors", "std::vector<Tensor>", "const std::vector<Tensor> &"};
  return {"Tensor", "TensorLike", "const TensorLike &"};
}

/// "staticSizes" of "sizes".
static std::string staticName(StringRef name) {
  return "static" + std::string(1, toUpper(name.front())) +
         name.drop_front().str();
}

/// "allow_tf32" of "allowTF32".
static std::string snakeCase(StringRef name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    bool begins = isUpper(name[i]) && i > 0 && !isUpper(name[i - 1]);
    out += begins ? "_" : "";
    out += toLower(name[i]);
  }
  return StringRef(out).rtrim('_').str();
}

//===-- parameters --------------------------------------------------------===//

CppFunction::CppFunction(const ContractOp &op, const Surface &surface)
    : mnemonic(StringRef(op.name()).split('.').second.str()), op(op) {
  auto symbol = surface.operators.find(mnemonic);
  isOperator = symbol != surface.operators.end();
  isHidden = surface.byHand.count(mnemonic);
  name = isOperator ? "operator" + symbol->second : mnemonic;
  addOperands(surface);
  addAttributes(surface);
}

void CppFunction::add(Parameter parameter, const Surface &surface) {
  auto given = surface.defaults.find({mnemonic, parameter.name});
  if (given != surface.defaults.end())
    parameter.defaultValue = given->second;
  (parameter.defaultValue.empty() ? required : optional)
      .push_back(std::move(parameter));
}

void CppFunction::addOperands(const Surface &surface) {
  for (const auto &value : op.op.getOperands()) {
    Parameter parameter{snakeCase(value.name), operandForm(value), ""};
    if (parameter.form.kind == "Optional")
      parameter.defaultValue = "std::nullopt";
    // May the sizes be left out? Then so may the static ones.
    if (parameter.form.kind == "Sizes")
      for (const auto &named : op.op.getAttributes())
        if (named.name == staticName(value.name) &&
            named.attr.hasDefaultValue())
          parameter.defaultValue = "{}";
    add(std::move(parameter), surface);
  }
}

void CppFunction::addAttributes(const Surface &surface) {
  auto isOfSizes = [&](StringRef name) {
    return any_of(op.op.getOperands(), [&](const auto &value) {
      return isIndex(value) && name == staticName(value.name);
    });
  };
  for (const auto &named : op.op.getAttributes()) {
    if (isOfSizes(named.name))
      continue;
    Parameter parameter{snakeCase(named.name), attributeForm(named, op), ""};
    if (parameter.form.kind == "Unit")
      parameter.defaultValue = "false";
    else if (named.attr.hasDefaultValue())
      parameter.defaultValue = named.attr.getDefaultValue().str();
    else if (named.attr.isOptional())
      parameter.defaultValue = "std::nullopt";
    add(std::move(parameter), surface);
  }
}

const Parameter &CppFunction::find(StringRef parameter) const {
  for (const std::vector<Parameter> *list : {&required, &optional})
    for (const Parameter &entry : *list)
      if (entry.name == parameter)
        return entry;
  PrintFatalError(op.record, "no parameter '" + parameter + "'");
}

static bool isOptionalForm(const Parameter &parameter) {
  return parameter.defaultValue == "std::nullopt" &&
         parameter.form.kind != "Optional";
}

/// Type of a parameter, or of the field of a struct of options.
static std::string typeOf(const Parameter &parameter, bool isField) {
  if (isOptionalForm(parameter))
    return ("std::optional<" + parameter.form.type + ">").str();
  StringRef type = isField || parameter.form.parameterType.empty()
                       ? parameter.form.type
                       : parameter.form.parameterType;
  return type.str();
}

static std::string declaration(const Parameter &parameter, bool isField) {
  std::string type = typeOf(parameter, isField);
  return type + (StringRef(type).ends_with("&") ? "" : " ") + parameter.name;
}

//===-- declarations ------------------------------------------------------===//

static std::string camelCase(StringRef mnemonic) {
  std::string out;
  for (StringRef part : split(mnemonic, '_'))
    out += toUpper(part.front()) + part.drop_front().str();
  return out;
}

std::string CppFunction::optionsName() const {
  return camelCase(mnemonic) + "Options";
}

std::string CppFunction::resultType() const {
  int count = op.op.getNumResults();
  if (count > 1)
    return camelCase(mnemonic) + "Results";
  if (op.op.getResult(0).isVariadic())
    return "std::vector<Tensor>";
  return isIndex(op.op.getResult(0)) ? "Size" : "Tensor";
}

/// The lines of a text as a comment, without MLIR's types and examples in its
/// syntax.
static void emitLines(StringRef text, raw_ostream &os) {
  bool inCode = false;
  for (StringRef line : split(text, '\n')) {
    line = line.trim();
    if (line.starts_with("```"))
      inCode = !inCode;
    else if (!inCode && !line.empty())
      os << "/// " << tripy::frontend::inUserTerms(line) << '\n';
  }
}

void CppFunction::emitComment(const Examples &examples, raw_ostream &os) const {
  os << "/// " << op.op.getSummary() << ".\n";
  if (op.op.hasDescription())
    emitLines(op.op.getDescription(), os);
  for (const Rule &rule : op.rules)
    os << "/// Rule " << rule.id << ": "
       << tripy::frontend::inUserTerms(rule.text) << ".\n";
  os << "/// Throws Error at `loc` where a rule is broken.\n";
  if (!isHidden)
    examples.emitComment(mnemonic, name, os);
}

void CppFunction::emitOptions(raw_ostream &os) const {
  if (!hasOptions())
    return;
  os << "/// What may be left out of a call of " << mnemonic << "().\n"
     << "struct " << optionsName() << " {\n";
  for (const Parameter &parameter : optional)
    os << "  " << declaration(parameter, /*isField=*/true) << " = "
       << parameter.defaultValue << ";\n";
  os << "};\n";
}

void CppFunction::emitSignature(raw_ostream &os, bool declares) const {
  // Functions have no effect: a result that nobody uses is a mistake.
  os << (declares ? "[[nodiscard]] " : "") << resultType() << ' ' << name
     << '(';
  ListSeparator comma;
  for (const Parameter &parameter : required)
    os << comma << declaration(parameter, false);
  if (hasOptions())
    os << comma << "const " << optionsName() << " &options"
       << (declares ? " = {}" : "");
  else
    for (const Parameter &parameter : optional)
      os << comma << declaration(parameter, false)
         << (declares ? " = " + parameter.defaultValue : "");
  // Operators have no further parameter: their operands know the place.
  if (!isOperator)
    os << comma << "SourceLoc loc"
       << (declares ? " = SourceLoc::current()" : "");
  os << ')';
}

bool CppFunction::takesList() const {
  const std::vector<Parameter> &rest =
      required.size() > 1 ? required : optional;
  size_t second = required.size() > 1 ? 1 : 0;
  if (rest.size() <= second || hasOptions())
    return false;
  std::string text = declaration(rest[second], false);
  return StringRef(text).starts_with("const Shape ") ||
         StringRef(text).starts_with("const Dims ");
}

void CppFunction::declare(const Examples &examples, raw_ostream &os) const {
  if (any_of(op.op.getAttributes(), [&](const auto &named) {
        return attributeForm(named, op).kind == "Elements";
      }))
    return;
  if (isHidden)
    os << "namespace op {\n";
  emitOptions(os);
  if (op.op.getNumResults() > 1) {
    os << "struct " << resultType() << " {\n";
    for (const auto &result : op.op.getResults())
      os << "  Tensor " << snakeCase(result.name) << ";\n";
    os << "  TRIPY_FIELDS(";
    interleaveComma(op.op.getResults(), os,
                    [&](const auto &result) { os << snakeCase(result.name); });
    os << ")\n};\n";
  }
  emitComment(examples, os);
  emitSignature(os, /*declares=*/true);
  os << ";\n" << (isHidden ? "} // namespace op\n" : "") << '\n';
}

//===-- definitions -------------------------------------------------------===//

std::string CppFunction::use(StringRef parameter) const {
  std::string name = snakeCase(parameter);
  bool isOption = hasOptions() && find(name).defaultValue != "" &&
                  any_of(optional, [&](const Parameter &entry) {
                    return entry.name == name;
                  });
  return (isOption ? "options." : "") + name;
}

/// The operands that a rule says have one element type.
static std::vector<int> sameElement(const Rule &rule, const ContractOp &op) {
  std::vector<int> found;
  StringRef check = rule.check;
  bool lists =
      check.contains("sameElement(") || check.contains("sameRankAndElement(");
  if (!lists && !check.contains("elementTypeOf($"))
    return found;
  for (auto [i, value] : enumerate(op.op.getOperands())) {
    std::string text = lists ? ("$" + value.name).str()
                             : ("elementTypeOf($" + value.name + ")").str();
    size_t at = check.find(text);
    if (at == StringRef::npos || value.isVariadic())
      continue;
    // A whole name, compared with another one.
    char next = at + text.size() < check.size() ? check[at + text.size()] : ' ';
    if (!isAlnum(next) && (lists || check.contains(" == elementTypeOf($")))
      found.push_back(i);
  }
  return found;
}

void CppFunction::emitRecording(raw_ostream &os) const {
  for (const auto &value : op.op.getOperands())
    os << "  call.operand(" << use(value.name) << ");\n";
  for (const auto &named : op.op.getAttributes()) {
    auto sizes = find_if(op.op.getOperands(), [&](const auto &value) {
      return isIndex(value) && named.name == staticName(value.name);
    });
    if (sizes != op.op.operand_end())
      os << "  call.staticSizes(" << use(sizes->name) << ");\n";
    else
      os << "  call.attribute(" << use(named.name) << ");\n";
  }
  for (const Rule &rule : op.rules)
    if (std::vector<int> same = sameElement(rule, op); same.size() > 1) {
      os << "  call.sameElement({";
      interleaveComma(same, os);
      os << "});\n";
    }
}

void CppFunction::define(raw_ostream &os) const {
  if (any_of(op.op.getAttributes(), [&](const auto &named) {
        return attributeForm(named, op).kind == "Elements";
      }))
    return;
  std::string scope = isHidden ? "op::" : "";
  if (isHidden)
    os << "namespace op {\n";
  emitSignature(os, /*declares=*/false);
  os << " {\n  frontend::Call call(frontend::Op::" << camelCase(mnemonic)
     << ", " << (isOperator ? use(op.op.getOperand(0).name) + ".loc()" : "loc")
     << ");\n";
  emitRecording(os);
  os << "  call.record();\n  return ";
  std::string type = resultType();
  if (type == "std::vector<Tensor>")
    os << "call.tensors()";
  else if (type == "Size")
    os << "call.size()";
  else if (type == "Tensor")
    os << "call.tensor(0)";
  else {
    os << '{';
    ListSeparator comma;
    for (int i = 0; i < op.op.getNumResults(); ++i)
      os << comma << "call.tensor(" << i << ')';
    os << '}';
  }
  os << ";\n}\n" << (isHidden ? "} // namespace op\n" : "") << '\n';
}

/// TRIPY_OP(Add, "trace.add", "lhs Tensor|rhs Tensor", "dim Integer").
void CppFunction::describe(raw_ostream &os) const {
  os << "TRIPY_OP(" << camelCase(mnemonic) << ", " << cppString(op.name())
     << ", ";
  auto list = [&](auto &&range) {
    os << '{';
    ListSeparator comma;
    for (const auto &[name, kind] : range)
      os << comma << '{' << cppString(name) << ", Kind::" << kind << '}';
    os << '}';
  };
  std::vector<std::pair<StringRef, StringRef>> operands, attributes;
  for (const auto &value : op.op.getOperands())
    operands.emplace_back(value.name, operandForm(value).kind);
  for (const auto &named : op.op.getAttributes())
    attributes.emplace_back(named.name, attributeForm(named, op).kind);
  os << "(";
  list(operands);
  os << "), (";
  list(attributes);
  os << "))\n";
}

//===-- modes -------------------------------------------------------------===//

static bool forEach(const RecordKeeper &records, raw_ostream &os,
                    function_ref<void(const CppFunction &)> emit) {
  os << "// Generated by tripy-tblgen from Frontend/Functions.td; do not "
        "edit.\n\n";
  Surface surface(records);
  std::vector<ContractOp> ops = contractOps(records);
  for (const ContractOp &op : ops)
    if (!surface.none.count(StringRef(op.name()).split('.').second.str()))
      emit(CppFunction(op, surface));
  return false;
}

static mlir::GenRegistration
    decls("gen-cpp-decls", "Declare the C++ functions of operations",
          [](const RecordKeeper &records, raw_ostream &os) {
            Examples examples;
            return forEach(records, os, [&](const CppFunction &f) {
              f.declare(examples, os);
            });
          });
static mlir::GenRegistration
    defs("gen-cpp-defs", "Define the C++ functions of operations",
         [](const RecordKeeper &records, raw_ostream &os) {
           return forEach(records, os,
                          [&](const CppFunction &f) { f.define(os); });
         });
static mlir::GenRegistration
    table("gen-cpp-table", "List operations with operands and attributes",
          [](const RecordKeeper &records, raw_ostream &os) {
            return forEach(records, os,
                           [&](const CppFunction &f) { f.describe(os); });
          });
static mlir::GenRegistration members(
    "gen-cpp-members", "Members of Tensor that name the function to call",
    [](const RecordKeeper &records, raw_ostream &os) {
      return forEach(records, os, [&](const CppFunction &f) {
        // What Tensor has itself.
        if (f.isOperator || f.isHidden)
          return;
        auto hint = [&](StringRef parameters) {
          os << "template <typename... A> void " << f.name << '(' << parameters
             << "A &&...) const {\n  static_assert(detail::isNever<A...>, "
                "\"tripy::Tensor has no member '"
             << f.name << "'. Did you mean: tripy::" << f.name
             << "(x, ...)\");\n}\n";
        };
        hint("");
        // No type is deduced from braces: x.reshape({2, 1}).
        if (f.takesList())
          hint("std::initializer_list<Size>, ");
      });
    });
