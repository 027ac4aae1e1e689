//===- KernelToGPU.cpp - Planned programs for stock MLIR ------------------===//

#include "tripy/Conversion/Passes.h"

#include "Launches.h"

#include "tripy/Dialect/Kernel/SizeTable.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tripy {
#define GEN_PASS_DEF_KERNELTOGPUPASS
#include "tripy/Conversion/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;

namespace {
class ProgramLowering {
public:
  ProgramLowering(func::FuncOp planned)
      : planned(planned), b(planned), lowering(planned, b) {}

  LogicalResult run();

private:
  SmallVector<Type> inputTypes();
  void takeGlobals();
  func::FuncOp create(const Twine &suffix, ArrayRef<Type> inputs,
                      ArrayRef<Type> results);
  void makeConstants();
  LogicalResult makeOutputSizes();
  void checkInputs(func::FuncOp function);
  LogicalResult checkOutputs();
  LogicalResult makeMain();
  Value asyncToken();
  Value allocate(MemRefType type);

  func::FuncOp planned;
  OpBuilder b;
  LaunchLowering lowering;
  SmallVector<MemRefType> outputTypes;
  SmallVector<memref::GlobalOp> globals;
};
} // namespace

SmallVector<Type> ProgramLowering::inputTypes() {
  SmallVector<Type> types;
  for (Type type : planned.getArgumentTypes())
    types.push_back(type.isIndex() ? type
                                   : memrefOf(cast<RankedTensorType>(type)));
  return types;
}

/// The constants as data of the host's module.
void ProgramLowering::takeGlobals() {
  auto values = planned->getAttrOfType<ArrayAttr>(kernel::constantsAttrName);
  for (auto [i, value] : llvm::enumerate(values)) {
    auto elements = cast<ElementsAttr>(value);
    auto type = memrefOf(cast<RankedTensorType>(elements.getShapedType()));
    globals.push_back(memref::GlobalOp::create(
        b, planned.getLoc(),
        (planned.getSymName() + "_constant_" + Twine(i)).str(),
        b.getStringAttr("private"), type, elements, /*constant=*/true,
        /*alignment=*/b.getI64IntegerAttr(16)));
  }
}

func::FuncOp ProgramLowering::create(const Twine &suffix, ArrayRef<Type> inputs,
                                     ArrayRef<Type> results) {
  b.setInsertionPoint(planned);
  auto function = func::FuncOp::create(b, planned.getLoc(),
                                       (planned.getSymName() + suffix).str(),
                                       b.getFunctionType(inputs, results));
  b.setInsertionPointToStart(function.addEntryBlock());
  return function;
}

Value ProgramLowering::asyncToken() {
  auto type = gpu::AsyncTokenType::get(b.getContext());
  return gpu::WaitOp::create(b, planned.getLoc(), type, ValueRange())
      .getAsyncToken();
}

/// Device memory, once what was asked for before is done.
Value ProgramLowering::allocate(MemRefType type) {
  auto made = gpu::AllocOp::create(
      b, planned.getLoc(), type, lowering.token.getType(),
      ValueRange(lowering.token), ValueRange(), ValueRange());
  lowering.token = made.getAsyncToken();
  return made.getMemref();
}

void ProgramLowering::makeConstants() {
  SmallVector<Type> types;
  for (memref::GlobalOp global : globals)
    types.push_back(global.getType());
  create("_constants", {}, types);
  Location loc = planned.getLoc();
  lowering.token = asyncToken();
  SmallVector<Value> made;
  for (memref::GlobalOp global : globals) {
    made.push_back(allocate(global.getType()));
    Value data = memref::GetGlobalOp::create(b, loc, global.getType(),
                                             global.getSymName());
    lowering.token =
        gpu::MemcpyOp::create(b, loc, lowering.token.getType(),
                              ValueRange(lowering.token), made.back(), data)
            .getAsyncToken();
  }
  gpu::WaitOp::create(b, loc, Type(), ValueRange(lowering.token));
  func::ReturnOp::create(b, loc, made);
}

/// The planned function returns the outputs' dynamic sizes.
LogicalResult ProgramLowering::makeOutputSizes() {
  func::FuncOp function =
      create("_output_sizes", inputTypes(), planned.getResultTypes());
  LaunchLowering sizes(planned, b);
  sizes.takeInputs(function.getArguments());
  Block &body = planned.getBody().front();
  for (Operation &op : body.without_terminator())
    if (failed(sizes.lowerSize(op)))
      return failure();
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(sizes.size(value));
  func::ReturnOp::create(b, planned.getLoc(), results);
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
  return success();
}

/// Sizes are within the profile, and equal where they have one name: the arena
/// is as large as the profile's largest sizes need.
void ProgramLowering::checkInputs(func::FuncOp function) {
  kernel::SizeTable table;
  table.addInputs(planned);
  Location loc = planned.getLoc();
  llvm::StringMap<Value> named;
  for (const SizeSymbol &symbol : table.symbolList()) {
    Value input = function.getArgument(symbol.input);
    bool isSize = input.getType().isIndex();
    std::string where = "input '" + argumentName(planned, symbol.input) + "'";
    if (!isSize)
      where = (Twine("dimension ") + Twine(symbol.dim) + " of " + where).str();
    Value size =
        isSize ? input
               : memref::DimOp::create(b, loc, input, symbol.dim).getResult();
    auto bound = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    Value inside =
        arith::AndIOp::create(b, loc,
                              lowering.compare(loc, arith::CmpIPredicate::sge,
                                               size, bound(symbol.min)),
                              lowering.compare(loc, arith::CmpIPredicate::sle,
                                               size, bound(symbol.max)));
    lowering.require(loc, inside,
                     where + " must be within its profile, " +
                         Twine(symbol.min) + " to " + Twine(symbol.max));
    if (symbol.name.empty())
      continue;
    auto [first, isNew] = named.try_emplace(symbol.name, size);
    if (!isNew)
      lowering.require(
          loc,
          lowering.compare(loc, arith::CmpIPredicate::eq, first->second, size),
          where + " must equal the others named '" + symbol.name + "'");
  }
}

LogicalResult ProgramLowering::checkOutputs() {
  ValueRange sizes = planned.getBody().front().getTerminator()->getOperands();
  Location loc = planned.getLoc();
  for (auto [number, memref] : llvm::enumerate(lowering.outputs)) {
    auto type = cast<MemRefType>(memref.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      if (sizes.empty())
        return planned.emitOpError("must return the dynamic sizes of its "
                                   "outputs");
      Value found = memref::DimOp::create(b, loc, memref, dim);
      lowering.require(loc,
                       lowering.compare(loc, arith::CmpIPredicate::eq, found,
                                        lowering.size(sizes.front())),
                       "dimension " + Twine(dim) + " of output " +
                           Twine(number) + " must have the size that " +
                           planned.getSymName() + "_output_sizes returns");
      sizes = sizes.drop_front();
    }
  }
  return success();
}

LogicalResult ProgramLowering::makeMain() {
  SmallVector<Type> types = inputTypes();
  size_t firstConstant = types.size();
  for (memref::GlobalOp global : globals)
    types.push_back(global.getType());
  size_t firstOutput = types.size();
  llvm::append_range(types, outputTypes);
  func::FuncOp function = create("_on_device", types, {});
  ArrayRef<BlockArgument> arguments = function.getArguments();
  lowering.takeInputs(arguments.take_front(firstConstant));
  llvm::append_range(lowering.constants,
                     arguments.slice(firstConstant, globals.size()));
  llvm::append_range(lowering.outputs, arguments.drop_front(firstOutput));
  checkInputs(function);
  // All that can be wrong is found before anything is asked of the device.
  Block &body = planned.getBody().front();
  for (Operation &op : body.without_terminator())
    if (failed(lowering.lowerSize(op)))
      return failure();
  for (auto condition : body.getOps<kernel::RequireOp>())
    if (failed(lowering.lowerRequire(condition)))
      return failure();
  if (failed(checkOutputs()))
    return failure();
  lowering.token = asyncToken();
  if (auto bytes = planned->getAttrOfType<IntegerAttr>(kernel::arenaAttrName);
      bytes && bytes.getInt() > 0)
    lowering.arena =
        allocate(MemRefType::get({bytes.getInt()}, b.getIntegerType(8)));
  for (Operation &op : body.without_terminator())
    if (failed(lowering.lowerLaunches(op)))
      return failure();
  Location loc = planned.getLoc();
  if (lowering.arena)
    lowering.token =
        gpu::DeallocOp::create(b, loc, lowering.token.getType(),
                               ValueRange(lowering.token), lowering.arena)
            .getAsyncToken();
  gpu::WaitOp::create(b, loc, Type(), ValueRange(lowering.token));
  func::ReturnOp::create(b, loc);
  std::string name = planned.getSymName().str();
  planned.erase();
  function.setSymName(name);
  return success();
}

LogicalResult ProgramLowering::run() {
  auto outputs = planned->getAttrOfType<ArrayAttr>(kernel::outputsAttrName);
  for (Attribute output : outputs) {
    auto type = dyn_cast<TypeAttr>(output);
    auto tensor =
        type ? dyn_cast<RankedTensorType>(type.getValue()) : RankedTensorType();
    if (!tensor)
      return planned.emitOpError("kernel.outputs must be types of tensors");
    outputTypes.push_back(memrefOf(tensor));
  }
  takeGlobals();
  if (!globals.empty())
    makeConstants();
  if (planned.getNumResults() > 0 && failed(makeOutputSizes()))
    return failure();
  return makeMain();
}

namespace {
class KernelToGPU : public tripy::impl::KernelToGPUPassBase<KernelToGPU> {
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run() {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> planned;
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttrOfType<ArrayAttr>(kernel::outputsAttrName) &&
          function->hasAttrOfType<ArrayAttr>(kernel::constantsAttrName))
        planned.push_back(function);
    if (planned.empty())
      return emitError(module.getLoc(),
                       "a program must be planned by --kernel-plan");
    if (!module.lookupSymbol<gpu::BinaryOp>("device_code"))
      return emitError(module.getLoc(),
                       "a program must have its code as gpu.binary "
                       "@device_code, which --device-code-to-binary makes");
    for (auto kernel : module.getOps<kernel::FuncOp>())
      for (auto plugin : kernel.getBody().getOps<kernel::PluginOp>())
        return plugin.emitError("a plugin needs Tripy's runtime; found '@")
               << plugin.getCallee() << "'";
    for (func::FuncOp function : planned)
      if (failed(ProgramLowering(function).run()))
        return failure();
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<kernel::FuncOp>()))
      kernel.erase();
    return success();
  }
};
} // namespace
