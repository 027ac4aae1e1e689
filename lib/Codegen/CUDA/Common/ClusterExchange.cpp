//===- ClusterExchange.cpp - Results of a cluster's blocks ----------------===//

#include "ClusterExchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

static Value i32(KernelEmission &e, int64_t value) {
  return arith::ConstantOp::create(e.b, e.loc, e.b.getI32IntegerAttr(value));
}

void ClusterExchange::start(Index ownRank) {
  rank = ownRank;
  barriers = kernel.sharedArray("joined", e.b.getI64Type(), {exchanges});
  Value first = kernel.compare(arith::CmpIPredicate::eq, kernel.threadId(),
                               e.math.constant(0));
  e.when(first, [&] {
    for (int64_t i = 0; i < exchanges; ++i)
      NVVM::MBarrierInitOp::create(
          e.b, e.loc, kernel.elementOf(barriers, e.math.constant(i)).pointer,
          i32(e, 1), Value());
    NVVM::FenceMbarrierInitOp::create(e.b, e.loc);
  });
  // The fence alone orders what matters.
  NVVM::ClusterArriveRelaxedOp::create(e.b, e.loc, e.b.getUnitAttr());
}

void ClusterExchange::awaitStart() { kernel.clusterWait(); }

Type ClusterExchange::wordType(Type type) {
  return e.b.getIntegerType(
      std::max<unsigned>(32, type.getIntOrFloatBitWidth()));
}

Value ClusterExchange::toWord(Value value) {
  Type type = value.getType(), word = wordType(type);
  if (type.getIntOrFloatBitWidth() < 32)
    return arith::ExtUIOp::create(e.b, e.loc, word, value);
  if (isa<IntegerType>(type))
    return value;
  return arith::BitcastOp::create(e.b, e.loc, word, value);
}

Value ClusterExchange::fromWord(Value word, Type type) {
  if (type.getIntOrFloatBitWidth() < 32)
    return arith::TruncIOp::create(e.b, e.loc, type, word);
  if (isa<IntegerType>(type))
    return word;
  return arith::BitcastOp::create(e.b, e.loc, type, word);
}

/// Stores one, two or four words in another block's memory, and tells its
/// mbarrier.
void ClusterExchange::storeAsync(ArrayRef<Value> words, Value to,
                                 Value barrier) {
  bool isWide = words.front().getType().getIntOrFloatBitWidth() == 64;
  size_t count = words.size();
  std::string list, constraints = "l,";
  for (size_t i = 0; i < count; ++i) {
    list += (i == 0 ? "$" : ", $") + std::to_string(i + 1);
    constraints += isWide ? "l," : "r,";
  }
  std::string text =
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes";
  text += count == 4 ? ".v4" : count == 2 ? ".v2" : "";
  text += isWide ? ".b64 [$0], " : ".b32 [$0], ";
  text += count == 1 ? list : "{" + list + "}";
  text += ", [$" + std::to_string(count + 1) + "];";
  SmallVector<Value> operands = {to};
  llvm::append_range(operands, words);
  operands.push_back(barrier);
  LLVM::InlineAsmOp::create(
      e.b, e.loc, TypeRange(), operands, text, constraints + "l,~{memory}",
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}

/// Thread i sends to block i.
void ClusterExchange::send(Value word, const Memory &place, Value barrier) {
  Index lanes = e.math.constant(blocks);
  Memory joined = barriers;
  joined.pointer = barrier;
  // In front of the condition: the addresses are computed by all threads, and
  // must be those of blocks that exist.
  Index to = e.math.rem(kernel.threadId(), lanes);
  Value there = kernel.sharedOf(place, to).pointer;
  Value announced = kernel.sharedOf(joined, to).pointer;
  e.when(kernel.compare(arith::CmpIPredicate::ult, kernel.threadId(), lanes),
         [&] { storeAsync({word}, there, announced); });
}

void ClusterExchange::expect(int64_t senders, int64_t values, Type type) {
  Index zero = e.math.constant(0);
  Value isFirst = kernel.compare(arith::CmpIPredicate::eq, rank, zero);
  Value thread =
      kernel.compare(arith::CmpIPredicate::eq, kernel.threadId(), zero);
  e.when(arith::AndIOp::create(e.b, e.loc, isFirst, thread), [&] {
    int64_t bytes = (blocks - 1) * senders * values *
                    wordType(type).getIntOrFloatBitWidth() / 8;
    NVVM::MBarrierArriveExpectTxOp::create(
        e.b, e.loc, Type(), barriers.pointer, i32(e, bytes),
        NVVM::MemScopeKind::CTA, false, Value());
  });
}

void ClusterExchange::sendToFirst(ArrayRef<Value> values, const Memory &place) {
  Index zero = e.math.constant(0);
  Value barrier = kernel.sharedOf(barriers, zero).pointer;
  SmallVector<Value> words;
  for (Value value : values)
    words.push_back(toWord(value));
  // 16 bytes at most.
  size_t step = 128 / words.front().getType().getIntOrFloatBitWidth();
  while (words.size() % step != 0)
    step /= 2;
  for (size_t i = 0; i < words.size(); i += step) {
    Memory part = kernel.elementOf(place, e.math.constant(i));
    storeAsync(ArrayRef<Value>(words).slice(i, step),
               kernel.sharedOf(part, zero).pointer, barrier);
  }
}

void ClusterExchange::await() {
  awaitPhase(e.b, e.loc, barriers.pointer, i32(e, 0));
}

Value ClusterExchange::combine(linalg::GenericOp op, unsigned number,
                               Value value) {
  IndexMath &math = e.math;
  Value word = toWord(value);
  Index lanes = math.constant(blocks);
  Memory parts = kernel.sharedArray("parts" + std::to_string(number),
                                    word.getType(), {blocks});
  Value barrier = kernel.elementOf(barriers, math.constant(number)).pointer;
  Value begins = kernel.compare(arith::CmpIPredicate::eq, kernel.threadId(),
                                math.constant(0));
  e.when(begins, [&] {
    int64_t bytes = blocks * word.getType().getIntOrFloatBitWidth() / 8;
    NVVM::MBarrierArriveExpectTxOp::create(
        e.b, e.loc, Type(), barrier, i32(e, bytes), NVVM::MemScopeKind::CTA,
        false, Value());
  });
  send(word, kernel.elementOf(parts, rank), barrier);
  awaitPhase(e.b, e.loc, barrier, i32(e, 0));
  // A lane reads one part, and the lanes are joined in one order.
  Index lane = math.rem(kernel.threadId(), lanes);
  word = e.elements.load(parts, {lane}, 1).front();
  Value total = fromWord(word, value.getType());
  for (int32_t distance = 1; distance < blocks; distance *= 2)
    total = e.combine(op, total, kernel.shuffle(total, distance));
  return total;
}
