//===- Remarks.h - Decisions of a compilation, printed ----------*- C++ -*-===//
//
// Private to tripy-compile.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPYCOMPILE_REMARKS_H
#define TRIPY_TOOLS_TRIPYCOMPILE_REMARKS_H

#include "tripy/Base/Status.h"

#include "mlir/IR/MLIRContext.h"

#include <memory>
#include <string>

namespace tripy::compile {

/// What --remarks prints.
enum class RemarkChoice { None, Missed, All };

/// Collects the remarks of a context's compilation while it lives; must not
/// outlive the context.
class RemarkReport {
public:
  RemarkReport();
  ~RemarkReport();

  /// Remarks also go to the YAML file `path`, unless it is empty. Errors: Io.
  Status collect(mlir::MLIRContext &context, const std::string &path);
  /// Prints them to standard error: a line for what happened, and one for each
  /// remark, in the order of the user's lines; equal ones once.
  void print(RemarkChoice choice) const;

private:
  struct List;
  class Collector;
  std::shared_ptr<List> list;
};

} // namespace tripy::compile

#endif // TRIPY_TOOLS_TRIPYCOMPILE_REMARKS_H
