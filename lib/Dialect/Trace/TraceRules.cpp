//===- TraceRules.cpp - The rules of trace, generated ---------------------===//

#include "TraceRules.h"

#include "tripy/Dialect/Tripy/Plugin.h"

#include "tripy/Dialect/Trace/TraceContracts.cpp.inc"
