//===- TripyDialect.cpp - The tripy dialect and its attributes ------------===//

#include "tripy/Dialect/Tripy/Tripy.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tripy;

/// Parses and prints `[1, 2]`, or `[]`.
static ParseResult parseSizes(AsmParser &parser, SmallVector<int64_t> &sizes) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(sizes.emplace_back());
  });
}
static void printSizes(AsmPrinter &printer, ArrayRef<int64_t> sizes) {
  printer << '[';
  llvm::interleaveComma(sizes, printer);
  printer << ']';
}

/// A word that names a kind.
static ParseResult parseKeyword(AsmParser &parser, std::string &kind) {
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  kind = word.str();
  return success();
}
static void printKeyword(AsmPrinter &printer, StringRef kind) {
  printer << kind;
}

#include "tripy/Dialect/Tripy/TripyDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tripy/Dialect/Tripy/TripyAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "tripy/Dialect/Tripy/TripyOps.cpp.inc"

void TripyDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tripy/Dialect/Tripy/TripyAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tripy/Dialect/Tripy/TripyOps.cpp.inc"
      >();
}

LogicalResult ProfileAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> min, ArrayRef<int64_t> opt,
                                  ArrayRef<int64_t> max) {
  if (min.size() != opt.size() || min.size() != max.size())
    return emitError() << "min, opt and max of a profile have one length; "
                          "found "
                       << min.size() << ", " << opt.size() << " and "
                       << max.size();
  for (auto [i, low, usual, high] : llvm::enumerate(min, opt, max))
    if (low < 0 || low > usual || usual > high || high > maxElements)
      return emitError() << "sizes of a profile satisfy 0 <= min <= opt <= max "
                            "<= 2^40; dimension "
                         << i << " has " << low << ", " << usual << ", "
                         << high;
  if (!isAllowedShape(max))
    return emitError() << "the largest sizes of a profile have rank at most 8 "
                          "and at most 2^40 elements; found "
                       << describeList(max);
  return success();
}
