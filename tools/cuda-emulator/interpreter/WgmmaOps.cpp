//===- WgmmaOps.cpp - wgmma of warpgroups -----------------------*- C++ -*-===//
//
// Each warp of a warpgroup issues its part; the products are computed when the
// warps wait for them, and the registers of the accumulators are NaN from the
// first issue until then. So a missing wait, or an operand in memory that is
// overwritten too early, shows in the result; overwriting a register of A too
// early is an error.
//
//===----------------------------------------------------------------------===//
#include "Flow.h"
#include "MatrixDecode.h"
#include "Races.h"

namespace tripy::emulator {

namespace {
constexpr uint32_t poison = 0x7FFFFFFF; // NaN as f32 and as two f16

/// The part of an instruction's accumulators that a warp holds.
void capture(Warp &warp, const WgmmaForm &form,
             WgmmaQueue::Accumulator &accumulator) {
  uint32_t part = warp.index % 4;
  uint32_t count = form.shape.accumulatorRegisters();
  accumulator.values.resize(128 * count);
  if (accumulator.captured >> part & 1)
    return;
  accumulator.captured |= 1u << part;
  const uint32_t *offsets =
      launchOf(warp).body.lists.data() + form.accumulators;
  for (uint32_t k = 0; k < count; ++k) {
    auto *registers = warp.reg<uint32_t>(offsets[k]);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      accumulator.values[(part * 32 + lane) * count + k] = registers[lane];
      registers[lane] = poison;
    }
  }
}

void writeBack(Block &block, uint32_t first, uint32_t list, uint32_t count,
               const WgmmaQueue::Accumulator &accumulator) {
  const uint32_t *offsets = block.cluster->launch->body.lists.data() + list;
  for (uint32_t part = 0; part < 4; ++part)
    for (uint32_t k = 0; k < count; ++k) {
      auto *registers = block.warps[first + part].reg<uint32_t>(offsets[k]);
      for (uint32_t lane = 0; lane < 32; ++lane)
        registers[lane] = accumulator.values[(part * 32 + lane) * count + k];
    }
}

Next issue(Warp &warp, const Instruction &i, uint32_t mask) {
  if (!gatherAll(warp, mask))
    return block(warp, mask, "the other threads of its warp");
  Block &block = *warp.block;
  if (mask != allLanes || warp.index / 4 * 4 + 4 > block.warps.size())
    return faultAt(warp, i, 32, "needs four whole warps");
  const Body &body = launchOf(warp).body;
  const WgmmaForm &form = body.wgmmas[i.extra];
  WgmmaQueue &queue = block.warpgroups[warp.index / 4];
  uint32_t part = warp.index % 4;
  WgmmaQueue::Operation mine;
  mine.instruction = &i;
  mine.descriptorB = warp.reg<uint64_t>(i.b)[0];
  mine.scaleD = warp.predicate(i.c) & 1;
  if (!form.registersA)
    mine.descriptorA = warp.reg<uint64_t>(form.sourceA)[0];
  size_t index = queue.issued[part]++ - queue.retired;
  uint32_t key = body.lists[form.accumulators];
  WgmmaQueue::Accumulator &accumulator = queue.accumulators[key];
  if (index == queue.operations.size()) {
    queue.operations.push_back(mine);
    ++accumulator.pending;
  }
  WgmmaQueue::Operation &operation = queue.operations[index];
  if (operation.instruction != &i || operation.scaleD != mine.scaleD ||
      operation.descriptorA != mine.descriptorA ||
      operation.descriptorB != mine.descriptorB)
    return faultAt(warp, i, 32,
                   "the warps of the warpgroup do not issue the same wgmma");
  operation.issued |= 1u << part;
  capture(warp, form, accumulator);
  if (form.registersA) {
    constexpr uint32_t count = WgmmaShape::registersA;
    operation.registersA.resize(128 * count);
    for (uint32_t k = 0; k < count; ++k)
      for (uint32_t lane = 0; lane < 32; ++lane)
        operation.registersA[(part * 32 + lane) * count + k] =
            warp.reg<uint32_t>(body.lists[form.sourceA + k])[lane];
  }
  return Next::Continue;
}

/// Whether the registers that an operation reads A from still have what they
/// had when it was issued: the instruction may read them until the wait.
bool keepsOperand(Block &block, uint32_t first, const WgmmaForm &form,
                  const WgmmaQueue::Operation &operation) {
  constexpr uint32_t count = WgmmaShape::registersA;
  const uint32_t *offsets =
      block.cluster->launch->body.lists.data() + form.sourceA;
  for (uint32_t t = 0; t < 128; ++t)
    for (uint32_t k = 0; k < count; ++k)
      if (block.warps[first + t / 32].reg<uint32_t>(offsets[k])[t % 32] !=
          operation.registersA[t * count + k])
        return false;
  return true;
}

/// Computes the oldest operation.
Status retire(Block &block, uint32_t first, WgmmaQueue &queue) {
  const Body &body = block.cluster->launch->body;
  WgmmaQueue::Operation &operation = queue.operations.front();
  const WgmmaForm &form = body.wgmmas[operation.instruction->extra];
  if (operation.issued != 0xF)
    return fault(concat("the wgmma of line ", operation.instruction->line,
                        " was not issued by all four warps"));
  if (form.registersA && !keepsOperand(block, first, form, operation))
    return fault(concat("the registers of A of the wgmma of line ",
                        operation.instruction->line,
                        " were written before the wait for it"));
  uint32_t key = body.lists[form.accumulators];
  WgmmaQueue::Accumulator &accumulator = queue.accumulators[key];
  Status status =
      form.registersA
          ? wgmma(form.shape, operation.registersA, operation.descriptorB,
                  operation.scaleD, *block.space, accumulator.values)
          : wgmma(form.shape, operation.descriptorA, operation.descriptorB,
                  operation.scaleD, *block.space, accumulator.values);
  if (!status.isOk())
    return std::move(status).withContext(
        concat("wgmma of line ", operation.instruction->line));
  if (--accumulator.pending == 0) {
    writeBack(block, first, form.accumulators,
              form.shape.accumulatorRegisters(), accumulator);
    queue.accumulators.erase(key);
  }
  queue.operations.pop_front();
  ++queue.retired;
  return Status::ok();
}

Next commit(Warp &warp, const Instruction &i, uint32_t mask) {
  WgmmaQueue &queue = warp.block->warpgroups[warp.index / 4];
  uint32_t part = warp.index % 4;
  queue.groups[part].push_back(queue.issued[part]);
  return Next::Continue;
}

/// wgmma.wait_group n: the four warps meet, and the last of them computes.
Next wait(Warp &warp, const Instruction &i, uint32_t mask) {
  if (!gatherAll(warp, mask))
    return block(warp, mask, "the other threads of its warp");
  Block &block = *warp.block;
  uint32_t first = warp.index / 4 * 4, part = warp.index % 4;
  if (first + 4 > block.warps.size())
    return faultAt(warp, i, 32, "needs four whole warps");
  WgmmaQueue &queue = block.warpgroups[warp.index / 4];
  auto &groups = queue.groups[part];
  uint64_t target = queue.retired;
  while (groups.size() > uint64_t(i.immediate)) {
    target = std::max(target, groups.front());
    groups.pop_front();
  }
  if (queue.waiting && target != queue.waitTarget)
    return faultAt(warp, i, 32,
                   "the warps of the warpgroup wait for different wgmma");
  queue.waitTarget = target;
  queue.waiting |= 1u << part;
  RaceChecker *races = block.cluster->races.get();
  if (queue.waiting != 0xF) {
    if (races)
      races->releaseTo(warp, &queue);
    warp.wait = WaitKind::Warpgroup;
    warp.waitGeneration = queue.generation;
    return Next::Passed;
  }
  queue.waiting = 0;
  ++queue.generation;
  if (races)
    races->acquireFrom(warp, &queue);
  Status status;
  {
    AgentScope agent(warp, i);
    while (status.isOk() && queue.retired < target)
      status = retire(block, first, queue);
  }
  if (races)
    races->releaseTo(warp, &queue);
  return status.isOk() ? Next::Continue : faultAt(warp, i, 32, status);
}

Next fence(Warp &, const Instruction &, uint32_t) { return Next::Continue; }

bool scale(Decoder &decoder, size_t index, bool &negated) {
  int64_t value = 0;
  if (!decoder.integer(index, value) || (value != 1 && value != -1))
    return decoder.fail("a scale is 1 or -1");
  negated = value < 0;
  return true;
}
bool transposition(Decoder &decoder, size_t index, bool &transposed) {
  int64_t value = 0;
  if (!decoder.integer(index, value) || (value != 0 && value != 1))
    return decoder.fail("a transposition is 0 or 1");
  transposed = value;
  return true;
}

bool shapeOf(Decoder &decoder, WgmmaShape &shape) {
  std::string_view text = decoder.takePrefix("m64n");
  if (text.empty())
    return false;
  char *end = nullptr;
  shape.n = std::strtoul(text.data() + 4, &end, 10);
  uint32_t k = *end == 'k' ? std::strtoul(end + 1, nullptr, 10) : 0;
  Type d = decoder.takeType(), a = decoder.takeType(), b = decoder.takeType();
  if (!matrixType(a, shape.a) || !matrixType(b, shape.b) ||
      !accumulatorType(d, shape.accumulator) || k != shape.k())
    return false;
  return true;
}

bool multiply(Decoder &decoder) {
  WgmmaForm form;
  Instruction &out = decoder.out;
  if (!shapeOf(decoder, form.shape) || decoder.count() < 4)
    return false;
  form.registersA = decoder.operand(1).kind == OperandKind::Vector;
  bool scales = form.shape.accumulator != AccumulatorType::S32;
  bool halves = bytesOf(form.shape.a) == 2;
  size_t count =
      4 + (scales ? 2 : 0) + (halves ? (form.registersA ? 1 : 2) : 0);
  if (!decoder.operands(count, count) ||
      (scales && (!scale(decoder, 4, form.shape.negateA) ||
                  !scale(decoder, 5, form.shape.negateB))) ||
      (halves && !form.registersA &&
       !transposition(decoder, 6, form.shape.transposeA)) ||
      (halves && !transposition(decoder, count - 1, form.shape.transposeB)))
    return false;
  Status status = checkWgmma(form.shape);
  if (!status.isOk())
    return decoder.fail(status.message());
  if (!registerList(decoder, decoder.operand(0),
                    form.shape.accumulatorRegisters(), false,
                    form.accumulators) ||
      (form.registersA
           ? !registerList(decoder, decoder.operand(1), WgmmaShape::registersA,
                           true, form.sourceA)
           : !decoder.source(1, 8, form.sourceA)) ||
      !decoder.source(2, 8, out.b) || !decoder.source(3, 0, out.c))
    return false;
  out.extra = decoder.body.wgmmas.size();
  decoder.body.wgmmas.push_back(form);
  return decoder.set(&issue);
}

bool wgmmaOf(Decoder &decoder) {
  int kind =
      decoder.takeOneOf({"mma_async", "fence", "commit_group", "wait_group"});
  if (kind < 0 || !decoder.take("sync") || !decoder.take("aligned"))
    return false;
  if (kind == 0)
    return multiply(decoder);
  if (kind == 3)
    return decoder.operands(1, 1) &&
           decoder.integer(0, decoder.out.immediate) && decoder.set(&wait);
  return decoder.operands(0, 0) && decoder.set(kind == 1 ? &fence : &commit);
}
} // namespace

void addWgmmaOpcodes(std::map<std::string_view, DecodeFunction> &table) {
  table["wgmma"] = wgmmaOf;
}

} // namespace tripy::emulator
