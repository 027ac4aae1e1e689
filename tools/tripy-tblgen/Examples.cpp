//===- Examples.cpp - The table of the C++ functions' examples ------------===//

#include "Examples.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TableGen/Error.h"

using namespace llvm;
using namespace tripy::tblgen;

static cl::opt<std::string>
    examplesFile("cpp-examples", cl::value_desc("file"),
                 cl::desc("Examples for the comments of C++ functions"));

Examples::Examples() {
  if (examplesFile.empty())
    return;
  auto buffer = MemoryBuffer::getFile(examplesFile, /*IsText=*/true);
  if (!buffer)
    PrintFatalError(Twine("cannot read '") + examplesFile +
                    "': " + buffer.getError().message());
  Example *example = nullptr;
  for (StringRef line : split((*buffer)->getBuffer(), '\n')) {
    if (line.empty() || line.starts_with("#"))
      continue;
    auto [name, expression] = line.split(" | ");
    if (line.starts_with("  ") && example) {
      example->value.push_back(line.drop_front(2).str());
    } else if (!expression.empty()) {
      example = &byName[name.str()];
      example->expression = expression.str();
    } else if (line.ends_with(";")) {
      // "tp::Tensor x(...);"
      StringRef variable = line.split(' ').second.split('(').first;
      variables.emplace_back(variable.str(), line.str());
    } else {
      PrintFatalError(Twine("'") + examplesFile +
                      "' has a line that is no variable, function or value: '" +
                      line + "'");
    }
  }
}

/// Whether an expression has `name` as a word of its own.
static bool mentions(StringRef expression, StringRef name) {
  auto isPart = [](char c) { return isAlnum(c) || c == '_'; };
  for (size_t at = expression.find(name); at != StringRef::npos;
       at = expression.find(name, at + 1)) {
    size_t end = at + name.size();
    if ((at == 0 || !isPart(expression[at - 1])) &&
        (end == expression.size() || !isPart(expression[end])))
      return true;
  }
  return false;
}

void Examples::emitComment(StringRef mnemonic, StringRef function,
                           raw_ostream &os) const {
  auto found = byName.find(mnemonic.str());
  if (found == byName.end())
    found = byName.find(function.str());
  if (found == byName.end())
    return;
  const Example &example = found->second;
  os << "/// \\code\n";
  for (const auto &[name, definition] : variables)
    if (mentions(example.expression, name))
      os << "///   " << definition << '\n';
  os << "///   " << example.expression << ";\n";
  for (StringRef line : example.value)
    os << "///   // " << line << '\n';
  os << "/// \\endcode\n";
}
