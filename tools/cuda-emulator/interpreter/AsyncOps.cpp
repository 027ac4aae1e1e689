//===- AsyncOps.cpp - Asynchronous copies -----------------------*- C++ -*-===//
//
// Copies that complete on an mbarrier are queued in the cluster and arrive
// late, in any order. Copies of groups are carried out by the wait for their
// group.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"
#include "Races.h"
#include "Units/Mbarrier.h"
#include "Units/TensorCopy.h"

#include <functional>

namespace tripy::emulator {

namespace {
AsyncGroups &groupsOf(Warp &warp, std::unique_ptr<AsyncGroups> &groups) {
  if (!groups)
    groups = std::make_unique<AsyncGroups>(launchOf(warp).options.lateAsync);
  return *groups;
}

/// Hands a copy that ends with an mbarrier to the cluster.
Next start(Warp &warp, const Instruction &i, uint32_t lane,
           std::function<Status()> run) {
  Cluster &cluster = *warp.block->cluster;
  RaceChecker::Clock clock;
  if (cluster.races) {
    clock = cluster.races->current(warp);
    // What comes after the copy was issued is later than the copy.
    RaceChecker::Clock unused;
    cluster.races->release(warp, unused);
  }
  PendingCopy copy;
  copy.line = i.line;
  copy.run = [&warp, &i, clock, run = std::move(run)] {
    AgentScope agent(warp, i, clock);
    return run();
  };
  if (launchOf(warp).options.lateAsync) {
    cluster.pending.push_back(std::move(copy));
    return Next::Continue;
  }
  Status status = copy.run();
  return status.isOk() ? Next::Continue : faultAt(warp, i, lane, status);
}

/// complete_tx of the barrier at `offset` of a block, as the end of a copy.
Status completeAt(Block &target, uint32_t offset, uint64_t bytes) {
  uint8_t *place = nullptr;
  Status status =
      target.space->access(sharedStart + offset, 8, Access::ReadWrite, place);
  if (!status.isOk())
    return status;
  if (offset % 8)
    return fault("an mbarrier is a multiple of 8");
  if (RaceChecker *races = target.cluster->races.get(); races && races->agent) {
    RaceChecker::Clock &clock = races->clockOf(place);
    clock.resize(races->agentClock.size());
    for (size_t k = 0; k < clock.size(); ++k)
      clock[k] = std::max(clock[k], races->agentClock[k]);
  }
  return Mbarrier(*reinterpret_cast<uint64_t *>(place)).completeTx(bytes);
}

Status readMap(Warp &warp, uint64_t address, TensorMap &map) {
  Launch &launch = launchOf(warp);
  auto base = reinterpret_cast<uint64_t>(launch.parameterBase);
  uint64_t size = launch.function.parameterBytes;
  bool inParameters =
      address >= base && size >= 128 && address - base <= size - 128;
  if (address % 64)
    return fault("a tensor map is aligned to 64 bytes");
  if (!inParameters && !launch.memory.contains(address, 128))
    return fault(concat("no tensor map can be at ", hexadecimal(address), ": ",
                        launch.memory.describe(address)));
  return decodeTensorMap(reinterpret_cast<const uint8_t *>(address), map);
}

std::vector<int32_t> coordinatesOf(Warp &warp, const CopyForm &form,
                                   uint32_t lane) {
  std::vector<int32_t> result;
  for (uint32_t reg : form.coordinates)
    result.push_back(warp.reg<int32_t>(reg)[lane]);
  return result;
}

const CopyForm &formOf(Warp &warp, const Instruction &i) {
  return launchOf(warp).body.copies[i.extra];
}

using LaneFunction = Next (*)(Warp &, const Instruction &, uint32_t lane);
template <LaneFunction f>
Next perLane(Warp &warp, const Instruction &i, uint32_t mask) {
  for (; mask; mask &= mask - 1)
    if (f(warp, i, std::countr_zero(mask)) == Next::Fault)
      return Next::Fault;
  return Next::Continue;
}

/// The blocks that receive a copy, as a mask of ranks, and the offsets of data
/// and barrier in them.
struct Target {
  uint32_t ranks = 0, offset = 0, barrierOffset = 0;
  Block *barrierBlock = nullptr;
};
Status targetOf(Warp &warp, const CopyForm &form, uint32_t lane,
                Target &target) {
  Block &own = *warp.block;
  uint64_t to = addressOf(warp, form.to, lane);
  uint64_t barrier = addressOf(warp, form.mbarrier, lane);
  Block *block = sharedTarget(own, to, target.offset);
  target.barrierBlock = sharedTarget(own, barrier, target.barrierOffset);
  if (!block || !target.barrierBlock)
    return fault(concat("the destination ", hexadecimal(to),
                        " or the mbarrier ", hexadecimal(barrier),
                        " is not in shared memory"));
  if (block != target.barrierBlock)
    return fault("the destination and the mbarrier are in different blocks");
  target.ranks = 1u << block->rank;
  if (form.multicast) {
    target.ranks = warp.reg<uint16_t>(form.mask)[lane];
    if (target.ranks >> own.cluster->blocks.size() || !target.ranks)
      return fault(concat("the multicast mask ", hexadecimal(target.ranks),
                          " for a cluster of ", own.cluster->blocks.size(),
                          " blocks"));
  }
  return Status::ok();
}

Next loadTensor(Warp &warp, const Instruction &i, uint32_t lane) {
  const CopyForm &form = formOf(warp, i);
  TensorMap map;
  Target target;
  Status status = readMap(warp, addressOf(warp, form.from, lane), map);
  if (status.isOk())
    status = targetOf(warp, form, lane, target);
  if (status.isOk() && map.rank != form.coordinates.size())
    status = fault(concat(form.coordinates.size(),
                          " coordinates for a tensor of rank ", map.rank));
  if (!status.isOk())
    return faultAt(warp, i, lane, status);
  auto coordinates = coordinatesOf(warp, form, lane);
  Cluster &cluster = *warp.block->cluster;
  return start(warp, i, lane, [=, &cluster] {
    std::vector<uint8_t> tile;
    Status status =
        readGlobalTile(map, coordinates, cluster.launch->global, tile);
    for (uint32_t ranks = target.ranks; ranks && status.isOk();
         ranks &= ranks - 1) {
      Block &block = *cluster.blocks[std::countr_zero(ranks)];
      status =
          writeSharedTile(map, tile, sharedStart + target.offset, *block.space);
      if (status.isOk())
        status = completeAt(block, target.barrierOffset, map.boxBytes());
    }
    return status;
  });
}

/// flags: 1 adds instead of writing.
Next storeTensor(Warp &warp, const Instruction &i, uint32_t lane) {
  const CopyForm &form = formOf(warp, i);
  TensorMap map;
  Status status = readMap(warp, addressOf(warp, form.to, lane), map);
  if (status.isOk() && map.rank != form.coordinates.size())
    status = fault(concat(form.coordinates.size(),
                          " coordinates for a tensor of rank ", map.rank));
  if (!status.isOk())
    return faultAt(warp, i, lane, status);
  auto coordinates = coordinatesOf(warp, form, lane);
  auto tile = std::make_shared<std::vector<uint8_t>>();
  MemorySpace &shared = *warp.block->space, &global = launchOf(warp).global;
  uint64_t from = addressOf(warp, form.from, lane);
  bool adds = i.flags;
  AgentScope agent(warp, i);
  status =
      groupsOf(warp, warp.bulks[lane])
          .add({[=, &shared] {
                  return readSharedTile(map, from, shared, *tile);
                },
                [=, &global] {
                  return adds
                             ? addGlobalTile(map, coordinates, *tile, global)
                             : writeGlobalTile(map, coordinates, *tile, global);
                }});
  return status.isOk() ? Next::Continue : faultAt(warp, i, lane, status);
}

/// cp.async.bulk to shared memory; flags 1: from shared memory.
Next loadBulk(Warp &warp, const Instruction &i, uint32_t lane) {
  const CopyForm &form = formOf(warp, i);
  Target target;
  Status status = targetOf(warp, form, lane, target);
  if (!status.isOk())
    return faultAt(warp, i, lane, status);
  uint64_t bytes = warp.reg<uint32_t>(form.bytes)[lane];
  uint64_t from = addressOf(warp, form.from, lane);
  Cluster &cluster = *warp.block->cluster;
  MemorySpace *source = &launchOf(warp).global;
  if (i.flags)
    source = warp.block->space.get();
  return start(warp, i, lane, [=, &cluster] {
    Status status;
    for (uint32_t ranks = target.ranks; ranks && status.isOk();
         ranks &= ranks - 1) {
      Block &block = *cluster.blocks[std::countr_zero(ranks)];
      AsyncOperation copy;
      status = bulkCopy(sharedStart + target.offset, *block.space, from,
                        *source, bytes, copy);
      if (status.isOk())
        status = copy.read();
      if (status.isOk())
        status = copy.write();
      if (status.isOk())
        status = completeAt(block, target.barrierOffset, bytes);
    }
    return status;
  });
}

Next storeBulk(Warp &warp, const Instruction &i, uint32_t lane) {
  const CopyForm &form = formOf(warp, i);
  AsyncOperation copy;
  Status status =
      bulkCopy(addressOf(warp, form.to, lane), launchOf(warp).global,
               addressOf(warp, form.from, lane), *warp.block->space,
               warp.reg<uint32_t>(form.bytes)[lane], copy);
  AgentScope agent(warp, i);
  if (status.isOk())
    status = groupsOf(warp, warp.bulks[lane]).add(std::move(copy));
  return status.isOk() ? Next::Continue : faultAt(warp, i, lane, status);
}

/// cp.async.bulk.prefetch: brings nothing, but its range is checked.
Next prefetchBulk(Warp &warp, const Instruction &i, uint32_t lane) {
  const CopyForm &form = formOf(warp, i);
  uint64_t from = addressOf(warp, form.from, lane);
  uint64_t bytes = warp.reg<uint32_t>(form.bytes)[lane];
  Status status;
  uint8_t *place = nullptr;
  if (from % 16 || bytes % 16)
    status = fault(concat("a bulk prefetch of ", bytes, " bytes at ",
                          hexadecimal(from), ": both must be multiples of 16"));
  else
    status = launchOf(warp).global.access(from, bytes, Access::Read, place);
  return status.isOk() ? Next::Continue : faultAt(warp, i, lane, status);
}

/// cp.async of 4, 8 or 16 bytes.
Next copySmall(Warp &warp, const Instruction &i, uint32_t lane) {
  const CopyForm &form = formOf(warp, i);
  uint64_t bytes = i.bytes;
  uint64_t sourceBytes =
      form.sized ? warp.reg<uint32_t>(form.sourceBytes)[lane] : bytes;
  AsyncOperation copy;
  Status status =
      asyncCopy(addressOf(warp, form.to, lane), *warp.block->space,
                addressOf(warp, form.from, lane), launchOf(warp).global, bytes,
                sourceBytes, form.bypassL1, copy);
  AgentScope agent(warp, i);
  if (status.isOk())
    status = groupsOf(warp, warp.copies[lane]).add(std::move(copy));
  return status.isOk() ? Next::Continue : faultAt(warp, i, lane, status);
}

/// Commits and waits; flags: 1 bulk groups, 2 commit, 4 only what was read, 8
/// everything.
Next group(Warp &warp, const Instruction &i, uint32_t lane) {
  AsyncGroups &groups =
      groupsOf(warp, i.flags & 1 ? warp.bulks[lane] : warp.copies[lane]);
  AgentScope agent(warp, i);
  Status status;
  if (i.flags & 2)
    groups.commit();
  else if (i.flags & 4)
    status = groups.waitRead(i.immediate);
  else
    status = i.flags & 8 ? groups.finish() : groups.wait(i.immediate);
  return status.isOk() ? Next::Continue : faultAt(warp, i, lane, status);
}

/// cp.async.mbarrier.arrive; flags 1: .noinc.
Next arriveAfterCopies(Warp &warp, const Instruction &i, uint32_t lane) {
  uint32_t offset = 0;
  uint64_t address = addressOf(warp, i, lane);
  Block *target = sharedTarget(*warp.block, address, offset);
  uint8_t *place = nullptr;
  Status status =
      warp.block->space->access(address, 8, Access::ReadWrite, place);
  if (status.isOk() && target != warp.block)
    status = fault("the mbarrier is another block's");
  if (status.isOk() && !i.flags)
    status = Mbarrier(*reinterpret_cast<uint64_t *>(place)).addPending();
  if (!status.isOk())
    return faultAt(warp, i, lane, status);
  return start(warp, i, lane, [&warp, lane, place] {
    Status status = groupsOf(warp, warp.copies[lane]).finish();
    uint64_t state = 0;
    if (RaceChecker *races = warp.block->cluster->races.get())
      races->releaseTo(warp, place);
    return status.isOk()
               ? Mbarrier(*reinterpret_cast<uint64_t *>(place)).arrive(1, state)
               : status;
  });
}

/// st.async: one value of i.bytes to another block, then complete_tx.
Next storeAsync(Warp &warp, const Instruction &i, uint32_t lane) {
  const CopyForm &form = formOf(warp, i);
  Target target;
  Status status = targetOf(warp, form, lane, target);
  if (!status.isOk())
    return faultAt(warp, i, lane, status);
  std::vector<uint8_t> bytes;
  const uint32_t *list = launchOf(warp).body.lists.data() + i.list;
  for (uint32_t k = 0; k < i.count; ++k) {
    auto *value = warp.registers + list[k] + lane * i.bytes;
    bytes.insert(bytes.end(), value, value + i.bytes);
  }
  if (target.offset % bytes.size())
    return faultAt(warp, i, lane, "the destination is misaligned");
  Cluster &cluster = *warp.block->cluster;
  return start(warp, i, lane, [=, &cluster] {
    Block &block = *cluster.blocks[std::countr_zero(target.ranks)];
    uint8_t *place = nullptr;
    Status status = block.space->access(sharedStart + target.offset,
                                        bytes.size(), Access::Write, place);
    if (!status.isOk())
      return status;
    std::memcpy(place, bytes.data(), bytes.size());
    return completeAt(block, target.barrierOffset, bytes.size());
  });
}

Next nothing(Warp &, const Instruction &, uint32_t) { return Next::Continue; }

// --- decoding ---

bool addressAt(Decoder &decoder, size_t index, AddressForm &form) {
  if (index >= decoder.count())
    return decoder.fail("an address is missing");
  return decoder.addressInto(decoder.operand(index), form.reg, form.wide,
                             form.offset);
}

bool keep(Decoder &decoder, CopyForm form, Handler handler) {
  decoder.out.extra = decoder.body.copies.size();
  decoder.body.copies.push_back(std::move(form));
  return decoder.set(handler);
}

/// `[map, {c0, c1}]`
bool tensorAt(Decoder &decoder, size_t index, CopyForm &form,
              AddressForm &map) {
  if (!addressAt(decoder, index, map))
    return false;
  const auto &elements = decoder.operand(index).elements;
  if (elements.size() != 2 || elements[1].kind != OperandKind::Vector)
    return decoder.fail("a tensor operand is [map, {coordinates}]");
  for (const Operand &coordinate : elements[1].elements) {
    form.coordinates.push_back(0);
    if (!decoder.source(coordinate, 4, form.coordinates.back()))
      return false;
  }
  return true;
}

/// ".2d": 2; 0 without one.
size_t takeRank(Decoder &decoder) {
  return decoder.takeOneOf({"1d", "2d", "3d", "4d", "5d"}) + 1;
}

bool tensorLoad(Decoder &decoder) {
  CopyForm form;
  size_t rank = takeRank(decoder);
  decoder.take("tile");
  bool hint = decoder.take("L2::cache_hint");
  form.multicast = decoder.take("multicast::cluster");
  size_t count = 3 + form.multicast + hint;
  return rank && decoder.takeOneOf({"shared::cluster", "shared::cta"}) >= 0 &&
         decoder.take("global") && decoder.operands(count, count) &&
         addressAt(decoder, 0, form.to) &&
         tensorAt(decoder, 1, form, form.from) &&
         form.coordinates.size() == rank &&
         addressAt(decoder, 2, form.mbarrier) &&
         (!form.multicast || decoder.source(3, 2, form.mask)) &&
         keep(decoder, form, &perLane<loadTensor>);
}

bool tensorStore(Decoder &decoder, bool reduces) {
  CopyForm form;
  size_t rank = takeRank(decoder);
  decoder.take("tile");
  bool hint = decoder.take("L2::cache_hint");
  if (reduces && !decoder.take("add"))
    return decoder.fail("only the addition is known");
  decoder.out.flags = reduces;
  return rank && decoder.take("global") && decoder.take("shared::cta") &&
         decoder.operands(2 + hint, 2 + hint) &&
         tensorAt(decoder, 0, form, form.to) &&
         form.coordinates.size() == rank && addressAt(decoder, 1, form.from) &&
         keep(decoder, form, &perLane<storeTensor>);
}

bool tensorCopy(Decoder &decoder, bool reduces) {
  if (decoder.take("bulk_group"))
    return tensorStore(decoder, reduces);
  return decoder.take("mbarrier::complete_tx::bytes") && !reduces &&
         tensorLoad(decoder);
}

bool bulkCopyOf(Decoder &decoder) {
  bool hint = decoder.take("L2::cache_hint");
  CopyForm form;
  if (decoder.take("bulk_group"))
    return decoder.take("global") && decoder.take("shared::cta") &&
           decoder.operands(3 + hint, 3 + hint) &&
           addressAt(decoder, 0, form.to) && addressAt(decoder, 1, form.from) &&
           decoder.source(2, 4, form.bytes) &&
           keep(decoder, form, &perLane<storeBulk>);
  bool known = decoder.take("mbarrier::complete_tx::bytes");
  form.multicast = decoder.take("multicast::cluster");
  bool cluster = decoder.take("shared::cluster");
  bool global = decoder.take("global"), cta = decoder.take("shared::cta");
  decoder.out.flags = !global;
  size_t count = 4 + form.multicast + hint;
  return known && (global ? cluster != cta : cluster && cta) &&
         decoder.operands(count, count) && addressAt(decoder, 0, form.to) &&
         addressAt(decoder, 1, form.from) && decoder.source(2, 4, form.bytes) &&
         addressAt(decoder, 3, form.mbarrier) &&
         (!form.multicast || decoder.source(4, 2, form.mask)) &&
         keep(decoder, form, &perLane<loadBulk>);
}

bool bulkPrefetch(Decoder &decoder) {
  if (!decoder.take("tensor")) {
    CopyForm form;
    bool hint = decoder.take("L2::cache_hint");
    return decoder.take("L2") && decoder.take("global") &&
           decoder.operands(2 + hint, 2 + hint) &&
           addressAt(decoder, 0, form.from) &&
           decoder.source(1, 4, form.bytes) &&
           keep(decoder, form, &perLane<prefetchBulk>);
  }
  // A hint, with the operands of a load.
  while (!decoder.takePrefix("").empty())
    continue;
  return decoder.set(&nothing);
}

bool bulk(Decoder &decoder) {
  if (decoder.take("prefetch"))
    return bulkPrefetch(decoder);
  decoder.out.flags = 1;
  if (decoder.take("commit_group")) {
    decoder.out.flags |= 2;
    return decoder.operands(0, 0) && decoder.set(&perLane<group>);
  }
  if (decoder.take("wait_group")) {
    decoder.out.flags |= decoder.take("read") ? 4 : 0;
    return decoder.operands(1, 1) &&
           decoder.integer(0, decoder.out.immediate) &&
           decoder.set(&perLane<group>);
  }
  decoder.out.flags = 0;
  return decoder.take("tensor") ? tensorCopy(decoder, false)
                                : bulkCopyOf(decoder);
}

bool smallCopy(Decoder &decoder) {
  CopyForm form;
  form.bypassL1 = decoder.takeOneOf({"ca", "cg"}) == 1;
  decoder.takeOneOf({"shared", "shared::cta"});
  bool hint = decoder.take("L2::cache_hint");
  decoder.takePrefix("L2::");
  int64_t bytes = 0;
  size_t least = 3 + hint;
  if (!decoder.take("global") || !decoder.operands(least, least + 1) ||
      !addressAt(decoder, 0, form.to) || !addressAt(decoder, 1, form.from) ||
      !decoder.integer(2, bytes))
    return false;
  form.sized = decoder.count() == least + 1;
  if (form.sized && !decoder.source(3, 4, form.sourceBytes))
    return false;
  decoder.out.bytes = bytes;
  return keep(decoder, form, &perLane<copySmall>);
}

bool copy(Decoder &decoder) {
  Instruction &out = decoder.out;
  if (decoder.take("reduce"))
    return decoder.take("async") && decoder.take("bulk") &&
           decoder.take("tensor") && tensorCopy(decoder, true);
  if (!decoder.take("async"))
    return false;
  if (decoder.take("bulk"))
    return bulk(decoder);
  if (decoder.take("commit_group")) {
    out.flags = 2;
    return decoder.operands(0, 0) && decoder.set(&perLane<group>);
  }
  if (decoder.take("wait_all")) {
    out.flags = 8;
    return decoder.operands(0, 0) && decoder.set(&perLane<group>);
  }
  if (decoder.take("wait_group"))
    return decoder.operands(1, 1) && decoder.integer(0, out.immediate) &&
           decoder.set(&perLane<group>);
  if (decoder.take("mbarrier")) {
    bool arrives = decoder.take("arrive");
    out.flags = decoder.take("noinc");
    takeMemoryModifiers(decoder);
    return arrives && decoder.take("b64") && decoder.operands(1, 1) &&
           decoder.address(0) && decoder.set(&perLane<arriveAfterCopies>);
  }
  return smallCopy(decoder);
}
} // namespace

bool decodeStoreAsync(Decoder &decoder) {
  if (decoder.head() != "st")
    return decoder.fail("red.async is not known");
  takeMemoryModifiers(decoder);
  CopyForm form;
  int vector = decoder.takeOneOf({"v2", "v4"});
  uint32_t count = vector < 0 ? 1 : 2u << vector;
  bool known = decoder.take("mbarrier::complete_tx::bytes");
  uint32_t bytes = bytesOf(decoder.takeType());
  if (!known || bytes < 4 || !decoder.operands(3, 3) ||
      !addressAt(decoder, 0, form.to) || !addressAt(decoder, 2, form.mbarrier))
    return false;
  std::vector<uint32_t> offsets(count);
  const Operand &data = decoder.operand(1);
  if (count > 1 && data.elements.size() != count)
    return false;
  for (uint32_t k = 0; k < count; ++k)
    if (!decoder.source(count > 1 ? data.elements[k] : data, bytes, offsets[k]))
      return false;
  decoder.out.list = decoder.list(offsets);
  decoder.out.count = count;
  decoder.out.bytes = bytes;
  return keep(decoder, form, &perLane<storeAsync>);
}

void addAsyncOpcodes(std::map<std::string_view, DecodeFunction> &table) {
  table["cp"] = copy;
}

} // namespace tripy::emulator
