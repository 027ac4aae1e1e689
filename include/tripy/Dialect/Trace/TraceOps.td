//===- TraceOps.td - All operations of trace --------------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACEOPS
#define TRIPY_DIALECT_TRACE_TRACEOPS

include "tripy/Dialect/Trace/TraceActivation.td"
include "tripy/Dialect/Trace/TraceArrange.td"
include "tripy/Dialect/Trace/TraceAttention.td"
include "tripy/Dialect/Trace/TraceComposed.td"
include "tripy/Dialect/Trace/TraceContraction.td"
include "tripy/Dialect/Trace/TraceCreation.td"
include "tripy/Dialect/Trace/TraceElementwise.td"
include "tripy/Dialect/Trace/TraceIndexing.td"
include "tripy/Dialect/Trace/TraceMovement.td"
include "tripy/Dialect/Trace/TraceNormalization.td"
include "tripy/Dialect/Trace/TracePlugin.td"
include "tripy/Dialect/Trace/TraceQuantization.td"
include "tripy/Dialect/Trace/TraceRandom.td"
include "tripy/Dialect/Trace/TraceReduction.td"
include "tripy/Dialect/Trace/TraceResize.td"
include "tripy/Dialect/Trace/TraceSort.td"
include "tripy/Dialect/Trace/TraceWindow.td"

#endif // TRIPY_DIALECT_TRACE_TRACEOPS
