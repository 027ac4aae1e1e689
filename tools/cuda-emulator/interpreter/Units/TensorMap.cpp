//===- TensorMap.cpp - Tiled tensor maps ----------------------------------===//

#include "TensorMap.h"

#include "../Emulator.h"
#include "tripy/Base/Text.h"

#include <bit>
#include <cstring>

using namespace tripy;
using namespace tripy::emulator;

namespace {
/// What the 128 bytes hold.
struct Layout {
  uint64_t mark;
  uint64_t address;
  uint64_t dims[TensorMap::maxRank];
  uint64_t strides[TensorMap::maxRank - 1];
  uint16_t box[TensorMap::maxRank];
  uint8_t elementStrides[TensorMap::maxRank];
  uint8_t type, rank, swizzle, fillNaN;
  uint8_t zero[21];
};
static_assert(sizeof(Layout) == sizeof(TensorMapValue));

constexpr uint64_t mark = 0x70616d726f736e54; // "Tnsormap"
constexpr uint64_t maxDim = uint64_t(1) << 32, maxStride = uint64_t(1) << 40;
constexpr uint32_t maxBox = 256, maxElementStride = 8;

struct TypeInfo {
  uint8_t bytes;
  bool isFloat;
};
/// By TensorType.
constexpr TypeInfo types[] = {{1, false}, {2, false}, {4, false}, {4, false},
                              {8, false}, {8, false}, {2, true},  {4, true},
                              {8, true},  {2, true}};
constexpr int numTypes = sizeof(types) / sizeof(types[0]);
/// By CUtensorMapSwizzle.
constexpr uint8_t swizzles[] = {0, 32, 64, 128};

Status invalid(std::string text) {
  return Status(Code::InvalidArgument, "tensor map: " + std::move(text));
}
Status unsupported(std::string text) {
  return Status(Code::Unsupported, "tensor map: " + std::move(text));
}

Status checkEnums(const TensorMapArguments &a) {
  if (a.dataType < 0 || a.dataType > 15)
    return invalid(concat("unknown data type ", a.dataType));
  if (a.dataType >= numTypes)
    return unsupported(concat("the emulator lacks data type ", a.dataType));
  if (a.interleave < 0 || a.interleave > 2)
    return invalid(concat("unknown interleaved layout ", a.interleave));
  if (a.interleave != 0)
    return unsupported("the emulator lacks interleaved layouts");
  if (a.swizzle < 0 || a.swizzle > 6)
    return invalid(concat("unknown swizzle ", a.swizzle));
  if (a.swizzle > 3)
    return unsupported("the emulator lacks swizzles of wider atoms");
  if (a.l2Promotion < 0 || a.l2Promotion > 3)
    return invalid(concat("unknown promotion ", a.l2Promotion));
  if (a.outOfBoundsFill < 0 || a.outOfBoundsFill > 1)
    return invalid(concat("unknown fill ", a.outOfBoundsFill));
  if (a.outOfBoundsFill == 1 && !types[a.dataType].isFloat)
    return invalid("only floating-point types are filled with NaN");
  return Status::ok();
}

Status checkSizes(const TensorMapArguments &a) {
  for (uint32_t i = 0; i < a.rank; ++i) {
    if (a.dims[i] < 1 || a.dims[i] > maxDim)
      return invalid(concat("dimensions must be 1 to 2^32, but number ", i,
                            " is ", a.dims[i]));
    if (a.box[i] < 1 || a.box[i] > maxBox)
      return invalid(concat("box sizes must be 1 to 256, but number ", i,
                            " is ", a.box[i]));
    if (a.elementStrides[i] < 1 || a.elementStrides[i] > maxElementStride)
      return invalid(concat("element strides must be 1 to 8, but number ", i,
                            " is ", a.elementStrides[i]));
  }
  for (uint32_t i = 0; i + 1 < a.rank; ++i)
    if (a.strides[i] % 16 != 0 || a.strides[i] >= maxStride)
      return invalid(concat("strides must be multiples of 16 bytes below "
                            "2^40, but number ",
                            i, " is ", a.strides[i]));
  uint32_t inner = a.box[0] * types[a.dataType].bytes;
  if (inner % 16 != 0)
    return invalid(concat("a row of the box must be a multiple of 16 bytes, "
                          "but is ",
                          inner));
  uint32_t span = swizzles[a.swizzle];
  if (span != 0 && inner > span)
    return invalid(concat("with a swizzle of ", span,
                          " bytes, a row of the box must be at most as long, "
                          "but is ",
                          inner));
  return Status::ok();
}
} // namespace

uint32_t emulator::bytesOf(TensorType type) { return types[int(type)].bytes; }

uint32_t TensorMap::boxCount(uint32_t i) const {
  return i == 0 ? box[0] : (box[i] + elementStrides[i] - 1) / elementStrides[i];
}

uint64_t TensorMap::boxBytes() const {
  uint64_t bytes = elementBytes();
  for (uint32_t i = 0; i < rank; ++i)
    bytes *= boxCount(i);
  return bytes;
}

Status emulator::encodeTensorMap(const TensorMapArguments &a,
                                 TensorMapValue &value) {
  if (a.rank < 1 || a.rank > TensorMap::maxRank)
    return invalid(concat("the rank must be 1 to 5, but is ", a.rank));
  if (!a.dims || !a.box || !a.elementStrides || (a.rank > 1 && !a.strides))
    return invalid("null where an array is needed");
  if (Status status = checkEnums(a); !status.isOk())
    return status;
  if (a.address == 0 || a.address % 16 != 0)
    return invalid(concat("the address must be a multiple of 16, but is ",
                          hexadecimal(a.address)));
  if (Status status = checkSizes(a); !status.isOk())
    return status;
  Layout layout = {};
  layout.mark = mark;
  layout.address = a.address;
  for (uint32_t i = 0; i < a.rank; ++i) {
    layout.dims[i] = a.dims[i];
    layout.box[i] = uint16_t(a.box[i]);
    layout.elementStrides[i] = uint8_t(a.elementStrides[i]);
    if (i > 0)
      layout.strides[i - 1] = a.strides[i - 1];
  }
  layout.type = uint8_t(a.dataType);
  layout.rank = uint8_t(a.rank);
  layout.swizzle = swizzles[a.swizzle];
  layout.fillNaN = uint8_t(a.outOfBoundsFill);
  std::memcpy(value.bytes.data(), &layout, sizeof(layout));
  return Status::ok();
}

Status emulator::decodeTensorMap(const uint8_t *bytes, TensorMap &map) {
  Layout layout;
  std::memcpy(&layout, bytes, sizeof(layout));
  if (layout.mark != mark || layout.rank < 1 ||
      layout.rank > TensorMap::maxRank || layout.type >= numTypes)
    return Status(Code::LaunchFailed,
                  "the tensor map is not one that was encoded");
  map = {};
  map.type = TensorType(layout.type);
  map.rank = layout.rank;
  map.address = layout.address;
  for (uint32_t i = 0; i < map.rank; ++i) {
    map.dims[i] = layout.dims[i];
    map.strides[i] = i == 0 ? bytesOf(map.type) : layout.strides[i - 1];
    map.box[i] = layout.box[i];
    map.elementStrides[i] = layout.elementStrides[i];
  }
  map.swizzle = layout.swizzle;
  map.fillNaN = layout.fillNaN != 0;
  return Status::ok();
}
