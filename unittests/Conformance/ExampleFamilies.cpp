//===- ExampleFamilies.cpp - The example of each operation of trace -------===//
//
// A program for each operation: the example of its definition, once for each
// element type that its rules accept. What the operations do at other sizes is
// for the other families; here none is left out.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "tripy/Compiler/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

using namespace tripy;
using namespace tripy::conformance;
using llvm::StringRef;

namespace {
struct Page {
  const char *name, *text;
};
} // namespace

static constexpr Page pages[] = {
#define TRIPY_OP_PAGE(name, text) {name, text},
#include "tripy/Tools/TraceOpPages.inc"
};

//===-- texts -------------------------------------------------------------===//

static bool isWord(char c) { return llvm::isAlnum(c) || c == '_'; }

/// The first statement of the operation in the blocks of its page; one that
/// goes over several lines becomes one.
static std::string exampleOf(const Page &page) {
  auto [before, block] = StringRef(page.text).split("```mlir\n");
  while (!block.empty()) {
    StringRef code, rest;
    std::tie(code, rest) = block.split("```");
    size_t at = code.find((" " + StringRef(page.name) + " ").str());
    if (at != StringRef::npos) {
      size_t begin = code.rfind('\n', at) + 1;
      std::string text;
      int64_t open = 0;
      for (char c : code.drop_front(begin)) {
        open += (StringRef("({[").contains(c) ? 1 : 0) -
                (StringRef(")}]").contains(c) ? 1 : 0);
        if (c == '\n' && open == 0)
          break;
        text += c == '\n' ? ' ' : c;
      }
      return text;
    }
    block = rest.split("```mlir\n").second;
  }
  return "";
}

namespace {
/// "tensor<2x?xf32>": where it is in a text, and what it says.
struct TypeText {
  size_t begin, end;
  Dims dims;
  StringRef element;
};

/// "%r:2 = <front> : (<operands>) -> <results>". One type may stand for all
/// operands and the result.
struct Statement {
  StringRef front;
  std::vector<TypeText> operands, results;
};
} // namespace

/// Sizes that are dynamic are those of symbol 0.
static std::vector<TypeText> typesOf(StringRef text) {
  std::vector<TypeText> types;
  StringRef open = "tensor<";
  for (size_t at = text.find(open); at != StringRef::npos;
       at = text.find(open, at + 1)) {
    StringRef inner = text.substr(at + open.size()).split('>').first;
    TypeText type{at, at + open.size() + inner.size() + 1, {}, inner};
    while (type.element.front() == '?' || llvm::isDigit(type.element.front())) {
      auto [size, rest] = type.element.split('x');
      Dim dim = Dim::of(0);
      if (int64_t number; !size.getAsInteger(10, number))
        dim = {number, -1};
      type.dims.push_back(dim);
      type.element = rest;
    }
    types.push_back(std::move(type));
  }
  return types;
}

static Statement split(StringRef text) {
  StringRef body = text.split(" = ").second;
  if (!body.contains(" -> ")) {
    auto [front, types] = body.rsplit(" : ");
    return {front, typesOf(types), typesOf(types)};
  }
  auto [rest, results] = body.rsplit(" -> ");
  auto [front, types] = rest.rsplit(" : (");
  return {front, typesOf(types), typesOf(results)};
}

/// As utils/coverage.py's source_of(): the type in whose place others come.
static std::string sourceOf(StringRef name, const Statement &statement) {
  auto isBool = [](const TypeText &type) { return type.element == "i1"; };
  bool isMade = name.starts_with("trace.random_") &&
                statement.front.contains(" dtype = ");
  if (isMade || statement.operands.empty())
    return statement.results.front().element.str();
  if (llvm::none_of(statement.results, isBool))
    for (const TypeText &type : statement.operands)
      if (!isBool(type))
        return type.element.str();
  return statement.operands.front().element.str();
}

/// A number as one of an element type.
static std::string number(StringRef text, DType dtype) {
  double value = 0;
  if (text.getAsDouble(value))
    return text.str();
  switch (dtypeInfo(dtype).cls) {
  case DTypeClass::Bool:
    return "true";
  case DTypeClass::Int:
    return std::to_string(static_cast<int64_t>(value));
  case DTypeClass::Float:
    break;
  }
  return std::to_string(value);
}

/// The numbers of a text, as those of an element type.
static std::string numbers(StringRef text, DType dtype) {
  std::string out;
  while (!text.empty()) {
    StringRef digits = text.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '.' || c == '-'; });
    out += digits.empty() ? text.take_front().str() : number(digits, dtype);
    text = text.drop_front(std::max<size_t>(digits.size(), 1));
  }
  return out;
}

/// "value = 1.5 : f32", "dtype = f32" and "dense<[1.0]>" with another type.
static std::string withNumbers(std::string text, const std::string &source,
                               DType dtype) {
  std::string target(dtypeInfo(dtype).mlir);
  for (StringRef word : {" : ", "dtype = "}) {
    std::string wanted = word.str() + source;
    for (size_t at = text.find(wanted); at != std::string::npos;
         at = text.find(wanted, at + 1)) {
      size_t end = at + wanted.size(), begin = at;
      if (end < text.size() && isWord(text[end]))
        continue;
      if (word == "dtype = ") {
        text.replace(at, end - at, word.str() + target);
        continue;
      }
      while (begin > 0 && (llvm::isAlnum(text[begin - 1]) ||
                           StringRef(".-+").contains(text[begin - 1])))
        --begin;
      std::string value = number(StringRef(text).slice(begin, at), dtype);
      text.replace(begin, end - begin,
                   dtype == DType::Bool ? value : value + word.str() + target);
    }
  }
  size_t dense = text.find("dense<");
  if (dense == std::string::npos)
    return text;
  size_t begin = dense + 6, end = text.find('>', begin);
  return text.replace(begin, end - begin,
                      numbers(StringRef(text).slice(begin, end), dtype));
}

static std::string withType(std::string text, const std::string &source,
                            DType dtype) {
  std::vector<TypeText> types = typesOf(text);
  for (const TypeText &type : llvm::reverse(types))
    if (type.element == source)
      text.replace(type.end - 1 - source.size(), source.size(),
                   dtypeInfo(dtype).mlir);
  return withNumbers(std::move(text), source, dtype);
}

//===-- programs ----------------------------------------------------------===//

static DType dtypeOf(const TypeText &type) {
  return *findDType(type.element.str(), &DTypeInfo::mlir);
}

/// A few roundings of the type; integers are exact.
static Tolerance toleranceOf(DType dtype) {
  if (dtypeInfo(dtype).cls != DTypeClass::Float)
    return {};
  if (isFloat8(dtype))
    return {1};
  return dtype == DType::F64 ? Tolerance{0, 1e-11, 1e-11} : roundings(dtype);
}

/// Adds the operation with inputs of its own. What stands in brackets is a
/// size.
static void add(ProgramBuilder &b, const std::string &example) {
  Statement statement = split(example);
  std::vector<std::pair<std::string, std::string>> names;
  std::string text;
  size_t tensors = 0;
  int64_t depth = 0;
  for (StringRef rest = statement.front; !rest.empty();) {
    depth += (rest.front() == '[') - (rest.front() == ']');
    if (rest.front() != '%') {
      text += rest.front();
      rest = rest.drop_front();
      continue;
    }
    StringRef name = rest.drop_front().take_while(isWord);
    rest = rest.drop_front(1 + name.size());
    auto known = llvm::find_if(
        names, [&](const auto &pair) { return pair.first == name; });
    if (known == names.end()) {
      std::string value;
      if (depth > 0 || statement.operands.empty()) {
        value = b.op("arith.constant 1 : index");
      } else {
        size_t last = statement.operands.size() - 1;
        const TypeText &type = statement.operands[std::min(tensors++, last)];
        DType dtype = dtypeOf(type);
        bool isFloat = dtypeInfo(dtype).cls == DTypeClass::Float;
        value = b.input(dtype, type.dims,
                        {isFloat ? Fill::Uniform : Fill::Whole, -3, 3});
      }
      names.emplace_back(name.str(), value);
      known = names.end() - 1;
    }
    text += known->second;
  }
  std::string body = StringRef(example).split(" = ").second.str();
  int count = static_cast<int>(statement.results.size());
  std::string value = b.op(text + body.substr(statement.front.size()), count);
  for (int i = 0; i < count; ++i) {
    const TypeText &type = statement.results[i];
    DType dtype = dtypeOf(type);
    b.result(count > 1 ? value + "#" + std::to_string(i) : value, dtype,
             type.dims, toleranceOf(dtype), body);
  }
}

static ProgramBuilder builderOf(StringRef name) {
  return ProgramBuilder("example_" + name.split('.').second.str(), 41, {{2}});
}

std::vector<Case> conformance::exampleCases() {
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  mlir::MLIRContext context(registry);
  // What the rules refuse is left out.
  mlir::ScopedDiagnosticHandler quiet(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  std::vector<Case> cases;
  for (const Page &page : pages) {
    std::string example = exampleOf(page);
    Statement statement = split(example);
    if (statement.results.empty() || statement.front.empty())
      continue;
    std::string source = sourceOf(page.name, statement);
    ProgramBuilder all = builderOf(page.name);
    for (DType dtype : storedTypes()) {
      std::string text = withType(example, source, dtype);
      ProgramBuilder alone = builderOf(page.name);
      add(alone, text);
      if (mlir::parseSourceString<mlir::ModuleOp>(alone.finish(false).text,
                                                  &context))
        add(all, text);
    }
    if (all.results())
      cases.push_back(all.finish(false));
  }
  return cases;
}
