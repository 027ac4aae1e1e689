//===- PluginFunction.cpp - A user's gpu.func as a kernel -----------------===//

#include "PluginEmission.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

//===-- copies ------------------------------------------------------------===//

/// Copies `function` and what it refers to in its module, under names that
/// start with the kernel's.
static gpu::GPUFuncOp copyFunction(gpu::GPUFuncOp function,
                                   kernel::FuncOp kernel,
                                   gpu::GPUModuleOp device) {
  MLIRContext *context = kernel.getContext();
  Operation *module = function->getParentOp();
  OpBuilder b = OpBuilder::atBlockEnd(device.getBody());
  llvm::MapVector<Operation *, Operation *> copies;
  SmallVector<Operation *> pending = {function};
  while (!pending.empty()) {
    Operation *next = pending.pop_back_val();
    if (copies.contains(next))
      continue;
    copies[next] = b.clone(*next);
    if (auto uses = SymbolTable::getSymbolUses(next))
      for (SymbolTable::SymbolUse use : *uses)
        if (Operation *used = SymbolTable::lookupSymbolIn(
                module, use.getSymbolRef().getLeafReference());
            used && used->getParentOp() == module)
          pending.push_back(used);
  }
  for (auto [from, to] : copies) {
    StringAttr old = SymbolTable::getSymbolName(from);
    auto name = StringAttr::get(context, from == function.getOperation()
                                             ? kernel.getSymName()
                                             : kernel.getSymName() + "_" +
                                                   old.getValue());
    SymbolTable::setSymbolName(to, name);
    for (auto [unused, other] : copies)
      (void)SymbolTable::replaceAllSymbolUses(old, name, other);
  }
  auto copy = cast<gpu::GPUFuncOp>(copies[function]);
  copy->setLoc(kernel.getLoc());
  return copy;
}

//===-- arguments ---------------------------------------------------------===//

namespace {
/// One argument of the function, and what the plugin passes for it.
struct Passed {
  PluginArgument argument;
  /// Of an operand or result; null for numbers.
  RankedTensorType tensor;
  /// What the type must be, in words.
  std::string expected;
};
} // namespace

static Passed passedFor(PluginOp plugin, kernel::PluginOp op,
                        StringRef argument) {
  using Kind = PluginArgument::Kind;
  Passed passed{*parsePluginArgument(argument), {}, ""};
  switch (passed.argument.kind) {
  case Kind::Operand:
    passed.tensor = cast<RankedTensorType>(
        plugin.getFunctionType().getInput(passed.argument.index));
    break;
  case Kind::Result:
    passed.tensor = cast<RankedTensorType>(
        plugin.getFunctionType().getResult(passed.argument.index));
    break;
  case Kind::Number:
    passed.expected = "i64 or index";
    break;
  case Kind::Number32:
    passed.expected = "i32";
    break;
  case Kind::Parameter:
    llvm::raw_string_ostream(passed.expected)
        << plugin.getParameterType(passed.argument.name);
    break;
  case Kind::OperandDim:
  case Kind::ResultDim:
    break;
  }
  if (passed.tensor)
    llvm::raw_string_ostream(passed.expected)
        << "!llvm.ptr or a memref as dense as " << passed.tensor;
  return passed;
}

/// A dense memref of the tensor's elements, in global memory.
static bool isMemoryOf(MemRefType memory, RankedTensorType tensor) {
  Attribute space = memory.getMemorySpace();
  auto global = dyn_cast_if_present<gpu::AddressSpaceAttr>(space);
  bool isGlobal =
      !space || (global && global.getValue() == gpu::AddressSpace::Global);
  return isGlobal && memory.getLayout().isIdentity() &&
         memory.getElementType() == tensor.getElementType() &&
         memory.getRank() == tensor.getRank() &&
         llvm::all_of(llvm::zip(memory.getShape(), tensor.getShape()),
                      [](auto sizes) {
                        auto [own, declared] = sizes;
                        return ShapedType::isDynamic(own) || own == declared;
                      });
}

static bool takes(Type type, const Passed &passed, PluginOp plugin) {
  using Kind = PluginArgument::Kind;
  switch (passed.argument.kind) {
  case Kind::Operand:
  case Kind::Result: {
    auto memory = dyn_cast<MemRefType>(type);
    return isa<LLVM::LLVMPointerType>(type) ||
           (memory && isMemoryOf(memory, passed.tensor));
  }
  case Kind::Number:
    return type.isSignlessInteger(64) || type.isIndex();
  case Kind::Number32:
    return type.isSignlessInteger(32);
  case Kind::Parameter:
    return type == plugin.getParameterType(passed.argument.name);
  case Kind::OperandDim:
  case Kind::ResultDim:
    return false;
  }
  llvm_unreachable("all kinds are above");
}

namespace {
/// Gives a function the arguments that the runtime passes.
class FunctionAdapter {
public:
  FunctionAdapter(gpu::GPUFuncOp function, SmallVector<std::string> &arguments)
      : function(function), arguments(arguments),
        b(OpBuilder::atBlockBegin(&function.getBody().front())),
        types(function.getFunctionType().getInputs()),
        converter(function.getContext(), optionsFor(function)) {}

  void replaceMemref(unsigned number, const Passed &passed);
  void finish();

private:
  static LowerToLLVMOptions optionsFor(gpu::GPUFuncOp function) {
    LowerToLLVMOptions options(function.getContext());
    options.overrideIndexBitwidth(64);
    return options;
  }
  Value appendSize(const Passed &passed, unsigned dim);
  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(b, function.getLoc(), b.getI64Type(),
                                    b.getI64IntegerAttr(value));
  }

  gpu::GPUFuncOp function;
  SmallVector<std::string> &arguments;
  OpBuilder b;
  SmallVector<Type> types;
  LLVMTypeConverter converter;
};
} // namespace

/// A further argument: a size that is known when the kernel is launched.
Value FunctionAdapter::appendSize(const Passed &passed, unsigned dim) {
  bool isOperand = passed.argument.kind == PluginArgument::Kind::Operand;
  arguments.push_back(("dim of " + Twine(isOperand ? "operand " : "result ") +
                       Twine(passed.argument.index) + " " + Twine(dim))
                          .str());
  types.push_back(b.getI64Type());
  // In front of memory that the function declares.
  return function.getBody().front().insertArgument(
      types.size() - 1, b.getI64Type(), function.getLoc());
}

// memref<?x4xf32> -> pointer, i64
void FunctionAdapter::replaceMemref(unsigned number, const Passed &passed) {
  Location loc = function.getLoc();
  BlockArgument argument = function.getBody().front().getArgument(number);
  auto type = cast<MemRefType>(argument.getType());
  Type whole = converter.convertType(
      MemRefType::get(type.getShape(), type.getElementType()));
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  types[number] = pointer;
  argument.setType(pointer);
  auto descriptor = MemRefDescriptor::poison(b, loc, whole);
  descriptor.setAllocatedPtr(b, loc, argument);
  descriptor.setAlignedPtr(b, loc, argument);
  descriptor.setOffset(b, loc, constant(0));
  Value stride = constant(1);
  for (int64_t dim = type.getRank(); dim-- > 0;) {
    Value size = type.isDynamicDim(dim) ? appendSize(passed, dim)
                                        : constant(type.getDimSize(dim));
    descriptor.setSize(b, loc, dim, size);
    descriptor.setStride(b, loc, dim, stride);
    stride = LLVM::MulOp::create(b, loc, stride, size);
  }
  Value made = UnrealizedConversionCastOp::create(b, loc, TypeRange(type),
                                                  ValueRange(descriptor))
                   .getResult(0);
  argument.replaceUsesWithIf(made, [&](OpOperand &use) {
    return !isa<LLVM::InsertValueOp>(use.getOwner());
  });
}

void FunctionAdapter::finish() {
  function.setFunctionType(b.getFunctionType(types, {}));
  function.removeArgAttrsAttr();
}

LogicalResult codegen::emitPluginFunction(kernel::FuncOp kernel,
                                          kernel::PluginOp op, PluginOp plugin,
                                          PluginSourceAttr source,
                                          gpu::GPUModuleOp device,
                                          SmallVector<std::string> &arguments) {
  Operation *module =
      SymbolTable::lookupNearestSymbolFrom(plugin, source.getModule());
  auto function = dyn_cast_if_present<gpu::GPUFuncOp>(
      module ? SymbolTable::lookupSymbolIn(module, source.getEntry())
             : nullptr);
  if (!function || function.isExternal())
    return plugin.emitError("the kernel of a plugin must have a body; found "
                            "none of ")
           << source.getEntry();
  ArrayRef<Type> types = function.getFunctionType().getInputs();
  if (types.size() != arguments.size())
    return plugin.emitError("the kernel ")
           << source.getEntry() << " must take the " << arguments.size()
           << " arguments that the plugin passes; it takes " << types.size();
  SmallVector<Passed> passed;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    passed.push_back(passedFor(plugin, op, argument));
    if (!takes(types[i], passed.back(), plugin))
      return plugin.emitError("argument ")
             << i << " of the kernel " << source.getEntry() << ", '" << argument
             << "', must be of type " << passed.back().expected << "; found "
             << types[i];
  }
  gpu::GPUFuncOp copy = copyFunction(function, kernel, device);
  FunctionAdapter adapter(copy, arguments);
  for (auto [i, each] : llvm::enumerate(passed))
    if (isa<MemRefType>(copy.getBody().front().getArgument(i).getType()))
      adapter.replaceMemref(i, each);
  adapter.finish();
  Builder b(kernel.getContext());
  ArrayRef<int64_t> block = source.getBlock();
  copy.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr(
      {int32_t(block[0]), int32_t(block[1]), int32_t(block[2])}));
  return success();
}
