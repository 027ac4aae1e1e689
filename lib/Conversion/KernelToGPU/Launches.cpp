//===- Launches.cpp - Launches of a planned program as gpu operations -----===//

#include "Launches.h"

#include "tripy/Base/DType.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tripy;

MemRefType tripy::memrefOf(RankedTensorType type) {
  return MemRefType::get(type.getShape(), type.getElementType());
}

static Value constantIndex(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

//===-- sizes and conditions ----------------------------------------------===//

/// A function of the wrappers, declared once.
static LLVM::LLVMFuncOp wrapper(ModuleOp module, OpBuilder &b, StringRef name,
                                ArrayRef<Type> parameters) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  return LLVM::LLVMFuncOp::create(
      b, module.getLoc(), name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                  parameters));
}

void LaunchLowering::require(Location loc, Value condition,
                             const Twine &message) {
  auto module = planned->getParentOfType<ModuleOp>();
  std::string name;
  do
    name = (planned.getSymName() + "_rule_" + Twine(rules++)).str();
  while (module.lookupSymbol(name));
  // C's strings end with a zero.
  Value text = LLVM::createGlobalString(loc, b, name,
                                        message.str() + std::string(1, '\0'),
                                        LLVM::Linkage::Internal);
  auto function =
      wrapper(module, b, "tripyRequire", {b.getI1Type(), text.getType()});
  LLVM::CallOp::create(b, loc, function, ValueRange{condition, text});
}

Value LaunchLowering::compare(Location loc, arith::CmpIPredicate predicate,
                              Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
}

void LaunchLowering::takeInputs(ArrayRef<BlockArgument> arguments) {
  llvm::append_range(inputs, arguments);
  for (auto [argument, made] : llvm::zip(planned.getArguments(), arguments))
    if (argument.getType().isIndex())
      mapping.map(argument, made);
}

LogicalResult LaunchLowering::lowerSize(Operation &op) {
  if (auto size = dyn_cast<kernel::InputSizeOp>(op)) {
    auto input = size.getInputAttr().getInt(), dim = size.getDimAttr().getInt();
    if (input < 0 || input >= int64_t(inputs.size()))
      return op.emitOpError("must name one of ")
             << inputs.size() << " inputs; found " << input;
    auto type = dyn_cast<MemRefType>(inputs[input].getType());
    int64_t rank = type ? type.getRank() : 0;
    if (dim < 0 || dim >= rank)
      return op.emitOpError("must name one of ")
             << rank << " dimensions; found " << dim;
    mapping.map(
        size.getResult(),
        memref::DimOp::create(b, op.getLoc(), inputs[input], dim).getResult());
    return success();
  }
  if (isa_and_nonnull<arith::ArithDialect>(op.getDialect())) {
    b.clone(op, mapping);
    return success();
  }
  if (isa<kernel::BufferOp, kernel::LaunchOp, kernel::RequireOp>(op))
    return success();
  return op.emitOpError("cannot be lowered to gpu operations: a planned "
                        "program has arithmetic on sizes, buffers, conditions "
                        "and launches");
}

LogicalResult LaunchLowering::lowerRequire(kernel::RequireOp op) {
  Location loc = op.getLoc();
  Value lhs = size(op.getLhs()), rhs = size(op.getRhs()), holds;
  CheckKind kind = op.getCheckKind();
  if (kind == CheckKind::LessEqual) {
    holds = compare(loc, arith::CmpIPredicate::sle, lhs, rhs);
  } else {
    holds = compare(loc, arith::CmpIPredicate::eq, lhs, rhs);
    if (kind == CheckKind::Broadcastable)
      for (Value side : {lhs, rhs})
        holds = arith::OrIOp::create(b, loc, holds,
                                     compare(loc, arith::CmpIPredicate::eq,
                                             side, constantIndex(b, loc, 1)));
    else if (kind != CheckKind::Equal)
      return op.emitOpError("kind must be 'equal', 'broadcastable' or "
                            "'at_most'; found '")
             << findCheckKind(kind)->name << "'";
  }
  require(loc, holds, op.getMessage());
  return success();
}

LogicalResult LaunchLowering::lowerLaunches(Operation &op) {
  if (auto buffer = dyn_cast<kernel::BufferOp>(op))
    return lowerBuffer(buffer);
  if (auto launch = dyn_cast<kernel::LaunchOp>(op))
    return lowerLaunch(launch);
  return success();
}

//===-- memory ------------------------------------------------------------===//

/// The address of a memref's first byte, and `offset` bytes behind it.
Value LaunchLowering::pointer(Location loc, Value memref, int64_t offset) {
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
  if (offset != 0)
    address =
        arith::AddIOp::create(b, loc, address, constantIndex(b, loc, offset));
  address = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
  return LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
}

LogicalResult LaunchLowering::lowerBuffer(kernel::BufferOp op) {
  bool inArena = op.getKind() == kernel::BufferKind::Arena ||
                 op.getKind() == kernel::BufferKind::Zeroed;
  Value memref = arena;
  if (!inArena) {
    ArrayRef<Value> list = op.getKind() == kernel::BufferKind::Input ? inputs
                           : op.getKind() == kernel::BufferKind::Output
                               ? outputs
                               : constants;
    int64_t index = op.getIndexAttr().getInt();
    if (index < 0 || index >= int64_t(list.size()))
      return op.emitOpError("must name one of ")
             << list.size() << "; found " << index;
    memref = list[index];
  }
  if (!memref)
    return op.emitOpError("lies in the arena, but the program has none");
  int64_t offset = op.getOffsetAttr().getInt();
  pointers[op.getResult()] = pointer(op.getLoc(), memref, offset);
  if (op.getKind() != kernel::BufferKind::Zeroed)
    return success();
  // The plan's zeroed ranges are multiples of a word.
  int64_t words = op.getSizeAttr().getInt() / 4;
  auto type = MemRefType::get({words}, b.getI32Type());
  Value view = memref::ViewOp::create(b, op.getLoc(), type, arena,
                                      constantIndex(b, op.getLoc(), offset),
                                      ValueRange());
  Value zero =
      arith::ConstantOp::create(b, op.getLoc(), b.getI32IntegerAttr(0));
  token = gpu::MemsetOp::create(b, op.getLoc(), token.getType(),
                                ValueRange(token), view, zero)
              .getAsyncToken();
  return success();
}

/// An array on the stack with these values.
Value LaunchLowering::filledArray(Location loc, Type element,
                                  ArrayRef<Value> values) {
  auto pointerType = LLVM::LLVMPointerType::get(b.getContext());
  auto array = LLVM::LLVMArrayType::get(element, values.size());
  Value one = LLVM::ConstantOp::create(b, loc, b.getI64Type(), 1);
  Value memory = LLVM::AllocaOp::create(b, loc, pointerType, array, one, 8);
  Value filled = LLVM::UndefOp::create(b, loc, array);
  for (auto [i, value] : llvm::enumerate(values))
    filled = LLVM::InsertValueOp::create(b, loc, filled, value,
                                         static_cast<int64_t>(i));
  LLVM::StoreOp::create(b, loc, filled, memory);
  return memory;
}

//===-- launches ----------------------------------------------------------===//

/// The types of a kernel's buffers, in order.
static SmallVector<RankedTensorType> tensorsOf(kernel::FuncOp callee) {
  SmallVector<RankedTensorType> tensors;
  for (Type type : callee.getFunctionType().getInputs())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      tensors.push_back(tensor);
  for (Type type : callee.getFunctionType().getResults())
    tensors.push_back(cast<RankedTensorType>(type));
  return tensors;
}

/// The value of a tensor map parameter: 16 words that the wrappers' function
/// fills when the program runs.
FailureOr<Value> LaunchLowering::tensorMap(kernel::LaunchOp op,
                                           kernel::FuncOp callee,
                                           kernel::TensorMapAttr map) {
  Location loc = op.getLoc();
  SmallVector<RankedTensorType> tensors = tensorsOf(callee);
  uint64_t number = map.getBuffer();
  if (number >= tensors.size() || number >= op.getBuffers().size())
    return op.emitOpError("its kernel's tensor map names no tensor");
  std::string element;
  llvm::raw_string_ostream(element) << tensors[number].getElementType();
  std::optional<DType> dtype = findDType(element, &DTypeInfo::mlir);
  if (!dtype)
    return op.emitOpError("its kernel's tensor map has no element type: ")
           << element;
  SmallVector<Value> sizes;
  for (Value value : op.getSizes())
    sizes.push_back(size(value));
  auto evaluate = [&](AffineMap exprs) {
    SmallVector<Value> values;
    for (AffineExpr expr : exprs.getResults())
      values.push_back(arith::IndexCastOp::create(
          b, loc, b.getI64Type(),
          affine::expandAffineExpr(b, loc, expr, {}, sizes)));
    return values;
  };
  auto number32 = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getI32Type(), value);
  };
  SmallVector<Value> box;
  for (int64_t extent : map.getBox())
    box.push_back(number32(extent));
  auto words = LLVM::LLVMArrayType::get(b.getI64Type(), 16);
  Value one = LLVM::ConstantOp::create(b, loc, b.getI64Type(), 1);
  Value memory = LLVM::AllocaOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), words, one, 128);
  Value rank = number32(map.getBox().size());
  Type pointer = memory.getType(), i32 = b.getI32Type();
  auto encode =
      wrapper(planned->getParentOfType<ModuleOp>(), b, "tripyEncodeTensorMap",
              {pointer, i32, i32, pointer, pointer, pointer, pointer, i32});
  LLVM::CallOp::create(
      b, loc, encode,
      ValueRange{memory, number32(static_cast<int64_t>(*dtype)), rank,
                 pointers.lookup(op.getBuffers()[number]),
                 filledArray(loc, b.getI64Type(), evaluate(map.getDims())),
                 filledArray(loc, b.getI64Type(), evaluate(map.getStrides())),
                 filledArray(loc, b.getI32Type(), box),
                 number32(map.getSwizzle())});
  return LLVM::LoadOp::create(b, loc, words, memory).getResult();
}

LogicalResult LaunchLowering::lowerLaunch(kernel::LaunchOp op) {
  Location loc = op.getLoc();
  auto module = planned->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<kernel::FuncOp>(op.getCallee());
  std::optional<kernel::ConfigAttr> config =
      callee ? callee.getConfig() : std::nullopt;
  if (!config || config->getBlock().size() != 3 ||
      config->getCluster().size() != 3)
    return op.emitOpError("no code was emitted for its kernel");
  SmallVector<Value> arguments;
  for (Value buffer : op.getBuffers()) {
    if (!pointers.contains(buffer))
      return op.emitOpError("its buffers must be made by kernel.buffer");
    arguments.push_back(pointers.lookup(buffer));
  }
  for (Value value : op.getSizes())
    arguments.push_back(size(value));
  for (kernel::TensorMapAttr map : config->getTensorMaps()) {
    FailureOr<Value> value = tensorMap(op, callee, map);
    if (failed(value))
      return failure();
    arguments.push_back(*value);
  }
  auto dims = [&](auto values) {
    return gpu::KernelDim3{constantIndex(b, loc, values[0]),
                           constantIndex(b, loc, values[1]),
                           constantIndex(b, loc, values[2])};
  };
  std::optional<gpu::KernelDim3> cluster;
  if (llvm::any_of(config->getCluster(), [](int64_t n) { return n != 1; }))
    cluster = dims(config->getCluster());
  Value shared = arith::ConstantOp::create(
      b, loc, b.getI32IntegerAttr(static_cast<int32_t>(config->getScratch())));
  auto kernel = SymbolRefAttr::get(
      b.getStringAttr("device_code"),
      {FlatSymbolRefAttr::get(b.getStringAttr(op.getCallee()))});
  token = gpu::LaunchFuncOp::create(b, loc, kernel,
                                    gpu::KernelDim3{size(op.getGrid()[0]),
                                                    size(op.getGrid()[1]),
                                                    size(op.getGrid()[2])},
                                    dims(config->getBlock()), shared, arguments,
                                    token.getType(), ValueRange(token), cluster)
              .getAsyncToken();
  return success();
}
