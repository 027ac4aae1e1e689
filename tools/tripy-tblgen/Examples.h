//===- Examples.h - The table of the C++ functions' examples --------------===//
//
// docs/api/examples.txt: expressions with the values that they have, which
// utils/api-pages.py computes and compares. Used by this tool alone.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TBLGEN_EXAMPLES_H
#define TRIPY_TOOLS_TBLGEN_EXAMPLES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tripy::tblgen {

class Examples {
public:
  /// Reads the file that -cpp-examples names; without it there are none. A file
  /// that cannot be read or understood ends the tool with an error.
  Examples();

  /// The example of an operation, or else that of the function that it is in
  /// C++, as part of a comment; nothing where there is none.
  void emitComment(llvm::StringRef mnemonic, llvm::StringRef function,
                   llvm::raw_ostream &os) const;

private:
  struct Example {
    std::string expression;
    std::vector<std::string> value;
  };
  std::vector<std::pair<std::string, std::string>> variables;
  std::map<std::string, Example> byName;
};

} // namespace tripy::tblgen

#endif // TRIPY_TOOLS_TBLGEN_EXAMPLES_H
