//===- Capture.cpp - Recording of streams, and functions of the host ------===//

#include "Driver.h"

using namespace tripy;
using namespace tripy::cuda;
using namespace tripy::emulatordriver;

OpaqueGraph *Driver::captureOf(StreamHandle stream) const {
  return streams.has(stream) ? stream->capture.get() : nullptr;
}

DriverResult Driver::checkStream(StreamHandle stream) const {
  if (!hasStream(stream))
    return invalidHandle;
  // Kernels and functions of the host alone are recorded.
  return captureOf(stream) ? captureUnsupported : DriverResult::Success;
}

OpaqueGraphNode &emulatordriver::record(OpaqueGraph &graph, bool overlaps) {
  auto node = std::make_unique<OpaqueGraphNode>();
  if (!graph.nodes.empty())
    node->predecessors.emplace(graph.nodes.back().get(), overlaps);
  graph.nodes.push_back(std::move(node));
  return *graph.nodes.back();
}

TRIPY_DRIVER_CALL cuStreamIsCapturing(StreamHandle stream, int *status) {
  Call call;
  if (!call)
    return call.refusal();
  if (!call->hasStream(stream))
    return invalidHandle;
  if (!status)
    return DriverResult::InvalidValue;
  *status = call->captureOf(stream) ? 1 : 0;
  return DriverResult::Success;
}

TRIPY_DRIVER_CALL cuStreamBeginCapture_v2(StreamHandle stream, int mode) {
  Call call;
  if (!call)
    return call.refusal();
  // The default streams cannot be captured.
  if (!call->streams.has(stream))
    return call->hasStream(stream) ? captureUnsupported : invalidHandle;
  if (stream->capture || mode < 0 || mode > captureRelaxed)
    return DriverResult::InvalidValue;
  stream->capture = std::make_unique<OpaqueGraph>();
  return DriverResult::Success;
}

TRIPY_DRIVER_CALL cuStreamEndCapture(StreamHandle stream, GraphHandle *graph) {
  Call call;
  if (!call)
    return call.refusal();
  if (!call->streams.has(stream))
    return invalidHandle;
  if (!graph || !stream->capture)
    return DriverResult::InvalidValue;
  *graph = call->graphs.add(std::move(stream->capture));
  return DriverResult::Success;
}

// Not asked for by the runtime: for stand-ins of libraries.
TRIPY_DRIVER_CALL cuLaunchHostFunc(StreamHandle stream,
                                   void (*function)(void *), void *data) {
  Call call(Call::Submits);
  if (!call)
    return call.refusal();
  if (!call->hasStream(stream))
    return invalidHandle;
  if (!function)
    return DriverResult::InvalidValue;
  if (OpaqueGraph *capture = call->captureOf(stream))
    record(*capture).host = {function, data};
  else
    call->submit(HostFunction{function, data});
  return DriverResult::Success;
}
