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
  barriers =
      kernel.sharedArray("joined", e.b.getI64Type(), {exchanges * copies});
  Value first = kernel.compare(arith::CmpIPredicate::eq, kernel.threadId(),
                               e.math.constant(0));
  e.when(first, [&] {
    for (int64_t i = 0; i < exchanges * copies; ++i)
      NVVM::MBarrierInitOp::create(
          e.b, e.loc, kernel.elementOf(barriers, e.math.constant(i)).pointer,
          i32(e, 1), Value());
    NVVM::FenceMbarrierInitOp::create(e.b, e.loc);
  });
  // The fence alone orders what matters.
  NVVM::ClusterArriveRelaxedOp::create(e.b, e.loc, e.b.getUnitAttr());
}

void ClusterExchange::awaitStart() { kernel.clusterWait(); }

/// `value` as 32 or 64 bits.
Value ClusterExchange::toWord(Value value) {
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  if (bits < 32)
    return arith::ExtUIOp::create(e.b, e.loc, e.b.getI32Type(), value);
  if (isa<IntegerType>(value.getType()))
    return value;
  return arith::BitcastOp::create(e.b, e.loc, e.b.getIntegerType(bits), value);
}

Value ClusterExchange::fromWord(Value word, Type type) {
  if (type.getIntOrFloatBitWidth() < 32)
    return arith::TruncIOp::create(e.b, e.loc, type, word);
  if (isa<IntegerType>(type))
    return word;
  return arith::BitcastOp::create(e.b, e.loc, type, word);
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
  bool isWide = word.getType().getIntOrFloatBitWidth() == 64;
  std::string text =
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes";
  text += isWide ? ".b64 [$0], $1, [$2];" : ".b32 [$0], $1, [$2];";
  e.when(kernel.compare(arith::CmpIPredicate::ult, kernel.threadId(), lanes),
         [&] {
           LLVM::InlineAsmOp::create(
               e.b, e.loc, TypeRange(), ValueRange{there, word, announced},
               text, isWide ? "l,l,l,~{memory}" : "l,r,l,~{memory}",
               /*has_side_effects=*/true, /*is_align_stack=*/false,
               LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
         });
}

Value ClusterExchange::combine(linalg::GenericOp op, unsigned number,
                               Value value, Index turn) {
  IndexMath &math = e.math;
  Value word = toWord(value);
  Index two = math.constant(2), lanes = math.constant(blocks);
  Index copy = copies == 2 ? math.rem(turn, two) : math.constant(0);
  Index round = copies == 2 ? math.div(turn, two) : turn;
  Memory parts = kernel.sharedArray("parts" + std::to_string(number),
                                    word.getType(), {copies * blocks});
  Index first = math.mul(copy, lanes);
  Value barrier =
      kernel
          .elementOf(barriers,
                     math.add(copy, math.constant(int64_t(number) * copies)))
          .pointer;
  Value begins = kernel.compare(arith::CmpIPredicate::eq, kernel.threadId(),
                                math.constant(0));
  e.when(begins, [&] {
    int64_t bytes = blocks * word.getType().getIntOrFloatBitWidth() / 8;
    NVVM::MBarrierArriveExpectTxOp::create(
        e.b, e.loc, Type(), barrier, i32(e, bytes), NVVM::MemScopeKind::CTA,
        false, Value());
  });
  send(word, kernel.elementOf(parts, math.add(first, rank)), barrier);
  Value parity = arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(),
                                            math.value(math.rem(round, two)));
  awaitPhase(e.b, e.loc, barrier, parity);
  // A lane reads one part, and the lanes are joined in one order.
  Index lane = math.rem(kernel.threadId(), lanes);
  word = e.elements.load(parts, {math.add(first, lane)}, 1).front();
  Value total = fromWord(word, value.getType());
  for (int32_t distance = 1; distance < blocks; distance *= 2)
    total = e.combine(op, total, kernel.shuffle(total, distance));
  return total;
}
