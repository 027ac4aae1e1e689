//===- MatrixOps.cpp - ldmatrix, stmatrix, mma ------------------*- C++ -*-===//
#include "MatrixDecode.h"

#include "Flow.h"
#include "Races.h"

namespace tripy::emulator {

bool matrixType(Type type, MatrixType &result) {
  switch (type) {
  case Type::F16:
    result = MatrixType::F16;
    return true;
  case Type::BF16:
    result = MatrixType::BF16;
    return true;
  case Type::TF32:
    result = MatrixType::TF32;
    return true;
  case Type::E4M3:
    result = MatrixType::E4M3;
    return true;
  case Type::E5M2:
    result = MatrixType::E5M2;
    return true;
  case Type::S8:
    result = MatrixType::S8;
    return true;
  default:
    return false;
  }
}

bool accumulatorType(Type type, AccumulatorType &result) {
  switch (type) {
  case Type::F32:
    result = AccumulatorType::F32;
    return true;
  case Type::F16:
    result = AccumulatorType::F16;
    return true;
  case Type::S32:
    result = AccumulatorType::S32;
    return true;
  default:
    return false;
  }
}

bool registerList(Decoder &decoder, const Operand &operand, size_t count,
                  bool isSource, uint32_t &list) {
  std::vector<const Operand *> elements = {&operand};
  if (operand.kind == OperandKind::Vector) {
    elements.clear();
    for (const Operand &element : operand.elements)
      elements.push_back(&element);
  }
  if (elements.size() != count)
    return decoder.fail(
        concat(elements.size(), " registers where ", count, " are needed"));
  std::vector<uint32_t> offsets(count);
  for (size_t k = 0; k < count; ++k)
    if (isSource ? !decoder.source(*elements[k], 4, offsets[k])
                 : !decoder.destination(*elements[k], 4, offsets[k]))
      return false;
  list = decoder.list(offsets);
  return true;
}

namespace {
Next wholeWarp(Warp &warp, const Instruction &i, uint32_t mask) {
  return mask == allLanes
             ? Next::Continue
             : faultAt(warp, i, 32, "must be executed by all 32 threads");
}

/// From registers of the file to lane by lane.
std::vector<uint32_t> gatherRegisters(Warp &warp, uint32_t list,
                                      uint32_t count) {
  const uint32_t *offsets = launchOf(warp).body.lists.data() + list;
  std::vector<uint32_t> values(32 * count);
  for (uint32_t k = 0; k < count; ++k)
    for (uint32_t lane = 0; lane < 32; ++lane)
      values[lane * count + k] = warp.reg<uint32_t>(offsets[k])[lane];
  return values;
}
void scatterRegisters(Warp &warp, uint32_t list, uint32_t count,
                      const std::vector<uint32_t> &values) {
  const uint32_t *offsets = launchOf(warp).body.lists.data() + list;
  for (uint32_t k = 0; k < count; ++k)
    for (uint32_t lane = 0; lane < 32; ++lane)
      warp.reg<uint32_t>(offsets[k])[lane] = values[lane * count + k];
}

/// flags: 1 transposed, 2 a store.
Next moveMatrix(Warp &warp, const Instruction &i, uint32_t mask) {
  if (!gatherAll(warp, mask))
    return block(warp, mask, "the other threads of its warp");
  if (wholeWarp(warp, i, mask) == Next::Fault)
    return Next::Fault;
  std::array<uint64_t, 32> addresses;
  for (uint32_t lane = 0; lane < 32; ++lane)
    addresses[lane] = addressOf(warp, i, lane);
  AgentScope agent(warp, i);
  Status status;
  MemorySpace &shared = *warp.block->space;
  if (i.flags & 2) {
    status = stmatrix(i.count, i.flags & 1, addresses,
                      gatherRegisters(warp, i.list, i.count), shared);
  } else {
    std::vector<uint32_t> values(32 * i.count);
    status = ldmatrix(i.count, i.flags & 1, addresses, shared, values);
    if (status.isOk())
      scatterRegisters(warp, i.list, i.count, values);
  }
  return status.isOk() ? Next::Continue : faultAt(warp, i, 32, status);
}

Next multiply(Warp &warp, const Instruction &i, uint32_t mask) {
  if (!gatherAll(warp, mask))
    return block(warp, mask, "the other threads of its warp");
  if (wholeWarp(warp, i, mask) == Next::Fault)
    return Next::Fault;
  const MmaForm &form = launchOf(warp).body.mmas[i.extra];
  const MmaShape &shape = form.shape;
  std::vector<uint32_t> d(32 * shape.registersC());
  Status status = mma(shape, gatherRegisters(warp, form.a, shape.registersA()),
                      gatherRegisters(warp, form.b, shape.registersB()),
                      gatherRegisters(warp, form.c, shape.registersC()), d);
  if (!status.isOk())
    return faultAt(warp, i, 32, status);
  scatterRegisters(warp, form.d, shape.registersC(), d);
  return Next::Continue;
}

bool matrixMove(Decoder &decoder) {
  bool isStore = decoder.head() == "stmatrix";
  Instruction &out = decoder.out;
  int count = decoder.takeOneOf({"x1", "x2", "x4"});
  out.count = 1u << std::max(count, 0);
  bool known = count >= 0 && decoder.take("sync") && decoder.take("aligned") &&
               decoder.take("m8n8");
  out.flags = (decoder.take("trans") ? 1 : 0) | (isStore ? 2 : 0);
  takeSpace(decoder);
  return known && decoder.take("b16") && decoder.operands(2, 2) &&
         registerList(decoder, decoder.operand(isStore ? 1 : 0), out.count,
                      isStore, out.list) &&
         decoder.address(isStore ? 0 : 1) && decoder.set(&moveMatrix);
}

bool matrixMultiply(Decoder &decoder) {
  bool known = decoder.take("sync") && decoder.take("aligned") &&
               decoder.take("row") && decoder.take("col");
  std::string_view shape = decoder.takePrefix("m16n8k");
  if (!known || shape.empty())
    return false;
  MmaForm form;
  form.shape.k = std::strtoul(shape.data() + 6, nullptr, 10);
  form.shape.saturate = decoder.take("satfinite");
  Type d = decoder.takeType(), a = decoder.takeType(), b = decoder.takeType(),
       c = decoder.takeType();
  if (d != c || !matrixType(a, form.shape.a) || !matrixType(b, form.shape.b) ||
      !accumulatorType(d, form.shape.accumulator))
    return false;
  Status status = checkMma(form.shape);
  if (!status.isOk())
    return decoder.fail(status.message());
  if (!decoder.operands(4, 4) ||
      !registerList(decoder, decoder.operand(0), form.shape.registersC(), false,
                    form.d) ||
      !registerList(decoder, decoder.operand(1), form.shape.registersA(), true,
                    form.a) ||
      !registerList(decoder, decoder.operand(2), form.shape.registersB(), true,
                    form.b) ||
      !registerList(decoder, decoder.operand(3), form.shape.registersC(), true,
                    form.c))
    return false;
  decoder.out.extra = decoder.body.mmas.size();
  decoder.body.mmas.push_back(form);
  return decoder.set(&multiply);
}
} // namespace

void addMatrixOpcodes(std::map<std::string_view, DecodeFunction> &table) {
  table["ldmatrix"] = table["stmatrix"] = matrixMove;
  table["mma"] = matrixMultiply;
}

} // namespace tripy::emulator
