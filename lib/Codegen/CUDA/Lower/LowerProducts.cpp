//===- LowerProducts.cpp - Products and fragments of tiles ----------------===//
//
// LLVM takes what an instruction under way writes for a value like others, and
// moves its readers across the wait. Empty assembly statements, which values
// pass through, keep them where they are.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using namespace tripy::codegen::tiles;

/// Elements of K that an instruction multiplies; registers of A with them.
static constexpr int64_t stepK = 16, stepWords = 4;

/// `values`, in registers of their own at this place.
TileLowering::Registers TileLowering::keepHere(ArrayRef<Value> values) {
  SmallVector<Type> types = llvm::to_vector(ValueRange(values).getTypes());
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  std::string outputs, inputs;
  for (size_t i = 0; i < values.size(); ++i) {
    outputs += types[i].isF32() ? "=f," : "=r,";
    inputs += (i ? "," : "") + std::to_string(i);
  }
  Value kept = LLVM::InlineAsmOp::create(
                   b, loc, TypeRange(Type(type)), values, "", outputs + inputs,
                   /*has_side_effects=*/true,
                   /*is_align_stack=*/false, LLVM::TailCallKind::None,
                   LLVM::AsmDialectAttr(), ArrayAttr())
                   .getResult(0);
  Registers result;
  for (size_t i = 0; i < values.size(); ++i)
    result.push_back(LLVM::ExtractValueOp::create(b, loc, kept, i));
  return result;
}

/// The matrix descriptor of a view. Along K: 8 rows of a panel are a pattern,
/// and a step is within a panel. Transposed: 8 rows are 8 steps of K, and the
/// next panel has the next columns.
Value TileLowering::descriptor(const SharedView &view, tile::SmemType type,
                               bool transposed) {
  int64_t swizzle = type.getSwizzle();
  // 128, 64 and 32 bytes are 1, 2 and 3.
  int64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : 3;
  int64_t leading = transposed ? view.panelBytes >> 4 : 1;
  int64_t bits = static_cast<int64_t>((uint64_t(mode) << 62) |
                                      (uint64_t(8 * swizzle >> 4) << 32) |
                                      (uint64_t(leading) << 16));
  Value masked = arith::AndIOp::create(b, loc, view.address, i32(0x3ffff));
  Value units = arith::ShRUIOp::create(b, loc, masked, i32(4));
  Value wide = arith::ExtUIOp::create(b, loc, b.getI64Type(), units);
  Value constant = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(bits));
  return arith::OrIOp::create(b, loc, wide, constant);
}

/// A descriptor of what lies `bytes` further on.
Value TileLowering::advance(Value start, int64_t bytes) {
  if (bytes == 0)
    return start;
  Value by = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(bytes >> 4));
  return arith::AddIOp::create(b, loc, start, by);
}

/// Bytes from the start of a view to step `step` of K.
static int64_t stepAt(const SharedView &view, tile::SmemType type,
                      bool transposed, int64_t step) {
  if (transposed)
    return step * stepK * type.getSwizzle();
  int64_t ofPanel = type.getPanelColumns() / stepK;
  return step / ofPanel * view.panelBytes +
         step % ofPanel * stepK * type.getElementBytes();
}

static NVVM::WGMMATypes typeOf(tile::SmemType type) {
  return type.getElementType().isF16() ? NVVM::WGMMATypes::f16
                                       : NVVM::WGMMATypes::bf16;
}

/// Values as a struct, which instructions take.
Value TileLowering::pack(ArrayRef<Value> values) {
  SmallVector<Type> types = llvm::to_vector(ValueRange(values).getTypes());
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value packed = LLVM::PoisonOp::create(b, loc, type);
  for (auto [i, value] : llvm::enumerate(values))
    packed = LLVM::InsertValueOp::create(b, loc, packed, value, i);
  return packed;
}

TileLowering::Registers TileLowering::unpack(ValueRange packed) {
  Registers values;
  for (Value each : packed) {
    auto type = cast<LLVM::LLVMStructType>(each.getType());
    for (size_t i = 0, size = type.getBody().size(); i < size; ++i)
      values.push_back(LLVM::ExtractValueOp::create(b, loc, each, i));
  }
  return values;
}

/// Whether sums that are under way go on in shared memory's products.
static bool goesOn(tile::MmaAsyncOp op) {
  return op.getAcc() && isa<tile::PendingType>(op.getAcc().getType()) &&
         isa<tile::SmemType>(op.getA().getType());
}

/// Both operands in shared memory; an instruction for each 64 rows of A.
TileLowering::Registers TileLowering::multiplyShared(tile::MmaAsyncOp op,
                                                     Registers sums) {
  bool ofA = op.getATransposed(), ofB = op.getTransposed();
  auto typeA = cast<tile::SmemType>(op.getA().getType());
  tile::SmemType typeB = op.getB().getType();
  RankedTensorType fragment = op.getResult().getType().getFragment();
  int64_t groups = fragment.getDimSize(0) / tile::groupRows;
  SharedView a = views[op.getA()], right = views[op.getB()];
  Value left = descriptor(a, typeA, ofA);
  Value other = descriptor(right, typeB, ofB);
  // A loop that goes on with its sums has the addresses by here.
  if (goesOn(op))
    NVVM::WgmmaFenceAlignedOp::create(b, loc);
  bool fromZero = sums.empty();
  size_t ofGroup = count(fragment) / groups;
  SmallVector<Value> packed(groups);
  for (auto [group, own] : llvm::enumerate(packed)) {
    SmallVector<Type> types(ofGroup, b.getF32Type());
    own = fromZero ? LLVM::PoisonOp::create(b, loc,
                                            LLVM::LLVMStructType::getLiteral(
                                                b.getContext(), types))
                         .getResult()
                   : pack(ArrayRef(sums).slice(group * ofGroup, ofGroup));
  }
  auto shape = NVVM::MMAShapeAttr::get(b.getContext(), tile::groupRows,
                                       fragment.getDimSize(1), stepK);
  // Of 64 rows: columns of their own, where A is transposed.
  int64_t groupBytes =
      ofA ? a.panelBytes * tile::groupRows / typeA.getPanelColumns()
          : tile::groupRows * typeA.getSwizzle();
  int64_t steps = (ofA ? typeA.getRows() : typeA.getColumns()) / stepK;
  for (int64_t step = 0; step < steps; ++step)
    for (auto [group, own] : llvm::enumerate(packed))
      own = NVVM::WgmmaMmaAsyncOp::create(
          b, loc, own.getType(), own,
          advance(left, group * groupBytes + stepAt(a, typeA, ofA, step)),
          advance(other, stepAt(right, typeB, ofB, step)), shape, typeOf(typeB),
          typeOf(typeB), NVVM::WGMMATypes::f32,
          fromZero && step == 0 ? NVVM::WGMMAScaleOut::zero
                                : NVVM::WGMMAScaleOut::one,
          NVVM::WGMMAScaleIn::one, NVVM::WGMMAScaleIn::one,
          ofA ? NVVM::MMALayout::col : NVVM::MMALayout::row,
          ofB ? NVVM::MMALayout::row : NVVM::MMALayout::col,
          NVVM::MMAIntOverflowAttr());
  return unpack(packed);
}

/// A in registers, which MLIR's operation has no form for.
TileLowering::Registers TileLowering::multiplyWords(tile::MmaAsyncOp op,
                                                    Registers sums) {
  bool transposed = op.getTransposed();
  tile::SmemType typeB = op.getB().getType();
  RankedTensorType fragment = op.getResult().getType().getFragment();
  SharedView view = views[op.getB()];
  Value right = descriptor(view, typeB, transposed);
  ArrayRef<Value> words = of(op.getA());
  size_t numSums = count(fragment);
  bool fromZero = sums.empty();
  if (fromZero)
    sums.assign(numSums, LLVM::PoisonOp::create(b, loc, b.getF32Type()));
  std::string list, left, constraints, inputs;
  for (size_t i = 0; i < numSums; ++i) {
    list += (i ? ", $" : "$") + std::to_string(i);
    constraints += "=f,";
    inputs += std::to_string(i) + ",";
  }
  for (size_t i = 0; i < stepWords; ++i)
    left += (i ? ", $" : "$") + std::to_string(2 * numSums + i);
  std::string element = NVVM::stringifyWGMMATypes(typeOf(typeB)).str();
  auto type = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(numSums, b.getF32Type()));
  int64_t steps = static_cast<int64_t>(words.size()) / stepWords;
  for (int64_t step = 0; step < steps; ++step) {
    std::string adds = fromZero && step == 0 ? "0" : "1";
    std::string text = "{\n.reg .pred p;\nsetp.ne.b32 p, " + adds +
                       ", 0;\nwgmma.mma_async.sync.aligned.m64n" +
                       std::to_string(fragment.getDimSize(1)) + "k" +
                       std::to_string(stepK) + ".f32." + element + "." +
                       element + " {" + list + "}, {" + left + "}, $" +
                       std::to_string(2 * numSums + stepWords) + ", p, 1, 1, " +
                       (transposed ? "1" : "0") + ";\n}";
    SmallVector<Value> operands(sums);
    llvm::append_range(operands, words.slice(step * stepWords, stepWords));
    operands.push_back(advance(right, stepAt(view, typeB, transposed, step)));
    Value packed =
        LLVM::InlineAsmOp::create(
            b, loc, TypeRange(Type(type)), operands, text,
            constraints + inputs + "r,r,r,r,l",
            /*has_side_effects=*/true, /*is_align_stack=*/false,
            LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
            .getResult(0);
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = LLVM::ExtractValueOp::create(b, loc, packed, i);
  }
  return sums;
}

void TileLowering::multiply(tile::MmaAsyncOp op) {
  Registers sums;
  if (op.getAcc())
    sums = of(op.getAcc());
  if (!goesOn(op))
    NVVM::WgmmaFenceAlignedOp::create(b, loc);
  sums = isa<tile::SmemType>(op.getA().getType()) ? multiplyShared(op, sums)
                                                  : multiplyWords(op, sums);
  NVVM::WgmmaGroupSyncAlignedOp::create(b, loc);
  registers[op.getResult()] = sums;
}

void TileLowering::await(tile::MmaWaitOp op) {
  NVVM::WgmmaWaitGroupSyncOp::create(b, loc, op.getNewer());
  // What a loop ends with is behind its last product in any case.
  registers[op.getResult()] = op.getPending().getDefiningOp<tile::MmaAsyncOp>()
                                  ? keepHere(of(op.getPending()))
                                  : of(op.getPending());
  for (Value held : op.getHolding())
    keepHere(of(held));
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// Neighbours in a row as a pair, in one instruction.
TileLowering::Registers TileLowering::narrow(arith::TruncFOp op) {
  const Registers &wide = of(op.getIn());
  Type element = getElementTypeOrSelf(op.getType());
  StringRef intrinsic =
      element.isF16() ? "llvm.nvvm.ff2f16x2.rn" : "llvm.nvvm.ff2bf16x2.rn";
  auto pair = VectorType::get({2}, element);
  Registers words;
  for (size_t i = 0; i < wide.size(); i += 2) {
    // The second operand is the lower half.
    auto made =
        LLVM::CallIntrinsicOp::create(b, loc, pair, b.getStringAttr(intrinsic),
                                      ValueRange{wide[i + 1], wide[i]});
    words.push_back(
        LLVM::BitcastOp::create(b, loc, b.getI32Type(), made.getResults()));
  }
  return words;
}

/// Lanes that have the columns of a row; chains of a thread for each row, which
/// hide the latency of an operation behind others.
static constexpr int64_t rowLanes = 4, chains = 2;

TileLowering::Registers TileLowering::reduce(tile::ReduceOp op) {
  auto combine = [&](Value x, Value y) -> Value {
    if (op.getKind() == tile::ReduceKind::Max)
      return arith::MaximumFOp::create(b, loc, x, y);
    return arith::AddFOp::create(b, loc, x, y);
  };
  RankedTensorType from = op.getInput().getType();
  const Registers &values = of(op.getInput());
  Registers rows(2);
  if (tile::layoutOf(from).getReduced() == 1) {
    rows = values;
  } else {
    SmallVector<Value> partial(2 * chains);
    for (auto [i, value] : llvm::enumerate(values)) {
      int64_t number = static_cast<int64_t>(i);
      int64_t row = tile::placeOf(from, number).first / 8;
      Value &own = partial[row * chains + number % chains];
      own = own ? combine(own, value) : value;
    }
    for (int64_t row = 0; row < 2; ++row)
      rows[row] = combine(partial[row * chains], partial[row * chains + 1]);
  }
  if (!tile::layoutOf(op.getResult().getType()).getPartial())
    for (Value &row : rows)
      row = kernel.overLanes(row, rowLanes, combine);
  return rows;
}

TileLowering::Registers TileLowering::broadcast(tile::BroadcastOp op) {
  RankedTensorType type = op.getResult().getType();
  const Registers &rows = of(op.getInput());
  Registers all;
  for (int64_t i = 0, size = tile::elementsPerThread(type); i < size; ++i)
    all.push_back(rows[tile::placeOf(type, i).first / 8]);
  return all;
}
