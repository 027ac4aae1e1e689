//===- FailingSizes.cpp - Sizes that a program refuses --------------------===//

#include "TranslateState.h"

#include "tripy/Base/SizeExpr.h"
#include "tripy/Base/SizeFailure.h"
#include "tripy/Base/Text.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::target;
using tripy::TableIndex;

std::string target::describeSizes(CheckKind kind, Interval a, Interval b) {
  std::string x = formatRange(a), y = formatRange(b);
  if (kind != CheckKind::LessEqual)
    return concat("the sizes are ", x, " and ", y);
  return a.isPoint() ? concat("found ", y, ", which is less than ", x)
                     : concat("found ", x, ", which is greater than ", y);
}

/// More rules than this are counted.
static constexpr size_t maxReported = 8;

/// "2 for dimension 0 ('batch') of 'x'".
static std::string sizeText(const Program &program, TableIndex number,
                            int64_t size) {
  const SizeSymbol &symbol = program.symbols[number];
  if (program.inputs[symbol.input].kind == InputKind::Size)
    return concat(size, " for '", program.inputs[symbol.input].name, "'");
  return concat(size, " for dimension ", symbol.dim,
                symbol.name.empty() ? "" : concat(" ('", symbol.name, "')"),
                " of '", program.inputs[symbol.input].name, "'");
}

/// "the smallest is 9 for dimension 0 of 'x', where 9 and 8 are compared".
static std::string describe(const Program &program,
                            const SizeFailure &failure) {
  std::string text =
      failure.sizes.size() == 1 ? "the smallest is " : "the smallest are ";
  for (auto [i, size] : llvm::enumerate(failure.sizes))
    text += concat(i == 0                          ? ""
                   : i + 1 == failure.sizes.size() ? " and "
                                                   : ", ",
                   sizeText(program, size.first, size.second));
  return concat(text, ", where ", failure.a, " and ", failure.b,
                " are compared");
}

LogicalResult target::reportFailingSizes(const Program &program,
                                         ArrayRef<Location> locations,
                                         FailingSizes severity) {
  if (severity == FailingSizes::Ignored)
    return success();
  bool isError = severity == FailingSizes::Error;
  size_t found = 0;
  auto report = [&](Location location) {
    return isError ? emitError(location) : emitWarning(location);
  };
  SizeFailureSearch search(program);
  for (auto [i, location] : llvm::enumerate(locations)) {
    SizeFailure sizes = search.find(i);
    // A warning is true; a program without errors has no such sizes.
    if (sizes.outcome == SizeFailure::Never ||
        (sizes.outcome == SizeFailure::Undecided && !isError))
      continue;
    if (++found > maxReported)
      continue;
    InFlightDiagnostic diag = report(location);
    diag << program.checks[i].message;
    if (sizes.outcome == SizeFailure::Undecided)
      diag << "; it was not found out whether the profile allows sizes that "
              "break this rule";
    else
      diag << "; the profile allows sizes that break this rule: "
           << describe(program, sizes);
  }
  if (found > maxReported)
    report(UnknownLoc::get(locations.front().getContext()))
        << "there are such sizes"
        << (isError ? ", or it was not found out," : "") << " for "
        << found - maxReported << " more rules";
  return failure(isError && found > 0);
}
