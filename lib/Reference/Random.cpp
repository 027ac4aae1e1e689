//===- Random.cpp - Evaluation of random bits -----------------------------===//
//
// Philox as its paper states it, apart from the code that kernels are made of.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include "tripy/Dialect/FlatIR/FlatIR.h"

#include <array>

using namespace mlir;
using namespace tripy;
using namespace tripy::reference;

using PhiloxBlock = std::array<uint32_t, 4>;

static PhiloxBlock philox(PhiloxBlock counter, uint64_t key) {
  auto low = static_cast<uint32_t>(key);
  auto high = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t first = uint64_t(counter[0]) * 0xd2511f53;
    uint64_t second = uint64_t(counter[2]) * 0xcd9e8d57;
    counter = {uint32_t(second >> 32) ^ counter[1] ^ low, uint32_t(second),
               uint32_t(first >> 32) ^ counter[3] ^ high, uint32_t(first)};
    low += 0x9e3779b9;
    high += 0xbb67ae85;
  }
  return counter;
}

/// The number of a tensor of rank 0.
static uint64_t numberOf(const Datum &datum) {
  return *static_cast<const uint64_t *>(std::get<Tensor>(datum).data());
}

std::optional<Tensor> reference::evaluateRandomBits(Context &context,
                                                    Operation *op,
                                                    ArrayRef<Datum> operands) {
  auto random = cast<flatir::RandomBitsOp>(op);
  SmallVector<int64_t> shape(random.getResult().getType().getShape());
  unsigned next = 3;
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = std::get<int64_t>(operands[next++]);
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; })) {
    (void)context.fail(op, "sizes are not negative");
    return std::nullopt;
  }
  std::optional<Tensor> out = context.allocate(op, DType::I64, shape);
  if (!out || failed(context.spend(op, out->elements())))
    return std::nullopt;
  uint64_t key = numberOf(operands[0]), low = numberOf(operands[1]);
  uint64_t high = numberOf(operands[2]);
  uint64_t perBlock = 128 / random.getBits();
  auto *result = static_cast<uint64_t *>(out->mutableData());
  for (int64_t i = 0, n = out->elements(); i < n; ++i) {
    uint64_t number = random.getStart() + i * random.getStride();
    uint64_t block = low + number / perBlock, at = number % perBlock;
    PhiloxBlock words = philox({uint32_t(block), uint32_t(block >> 32),
                                uint32_t(high), uint32_t(high >> 32)},
                               key);
    result[i] = perBlock == 4
                    ? words[at]
                    : words[2 * at] | uint64_t(words[2 * at + 1]) << 32;
  }
  return out;
}
