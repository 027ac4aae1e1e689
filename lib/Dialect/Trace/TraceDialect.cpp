//===- TraceDialect.cpp - The trace dialect -------------------------------===//

#include "tripy/Dialect/Trace/Trace.h"

#include "tripy/Dialect/Common/Inliner.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::trace;

#include "tripy/Dialect/Trace/TraceDialect.cpp.inc"

#define GET_OP_CLASSES
#include "tripy/Dialect/Trace/TraceOps.cpp.inc"

void TraceDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "tripy/Dialect/Trace/TraceOps.cpp.inc"
      >();
  addInterfaces<InlineAnywhere>();
}
