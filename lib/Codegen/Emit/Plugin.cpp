//===- Plugin.cpp - Kernels whose code the user brings --------------------===//
//
// Chooses the source for the target, and says how the kernel is launched and
// what it takes. There is nothing to emit but for a gpu.func, which becomes a
// kernel of the program's own code.
//
//===----------------------------------------------------------------------===//

#include "PluginEmission.h"

#include "tripy/Base/Cubin.h"
#include "tripy/Codegen/CudaChip.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

//===-- what kernels take -------------------------------------------------===//

/// A size that the plugin is called with, as an expression of the kernel's
/// index arguments.
static AffineExpr exprOf(kernel::FuncOp kernel, Value size) {
  MLIRContext *context = kernel.getContext();
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return getAffineConstantExpr(*known, context);
  auto argument = cast<BlockArgument>(size);
  auto before =
      kernel.getBody().getArguments().take_front(argument.getArgNumber());
  return getAffineSymbolExpr(
      llvm::count_if(before,
                     [](BlockArgument a) { return a.getType().isIndex(); }),
      context);
}

static void setConfig(kernel::FuncOp kernel, ValueRange grid,
                      ArrayRef<int64_t> block) {
  MLIRContext *context = kernel.getContext();
  SmallVector<AffineExpr> exprs;
  for (Value size : grid)
    exprs.push_back(exprOf(kernel, size));
  exprs.resize(3, getAffineConstantExpr(1, context));
  unsigned symbols = llvm::count_if(kernel.getFunctionType().getInputs(),
                                    [](Type type) { return type.isIndex(); });
  kernel.setConfigAttr(kernel::ConfigAttr::get(
      context, AffineMap::get(0, symbols, exprs, context), block, {1, 1, 1},
      /*scratch=*/0, /*workspace=*/{}, /*tensorMaps=*/{}));
  // It knows nothing of kernels around it.
  kernel.removeWaitsForAttr();
}

static void setSource(kernel::PluginOp op, size_t number,
                      ArrayRef<std::string> arguments) {
  Builder b(op.getContext());
  SmallVector<StringRef> texts(arguments.begin(), arguments.end());
  op.setSourceAttr(b.getI64IntegerAttr(number));
  op.setArgumentsAttr(b.getStrArrayAttr(texts));
}

/// Appends "dim of operand 0 1", ... for each dimension.
static void appendDims(StringRef what, TypeRange types,
                       SmallVector<std::string> &list) {
  for (auto [i, type] : llvm::enumerate(types))
    for (int64_t dim = 0; dim < cast<RankedTensorType>(type).getRank(); ++dim)
      list.push_back(
          ("dim of " + what + " " + Twine(i) + " " + Twine(dim)).str());
}

//===-- the CPU -----------------------------------------------------------===//

static InFlightDiagnostic noSource(kernel::PluginOp op, StringRef target) {
  return emitError(op.getLoc(), "the plugin '@")
         << op.getCallee() << "' must have a source for the target '" << target
         << "'";
}

LogicalResult codegen::emitHostPlugin(kernel::FuncOp kernel,
                                      kernel::PluginOp op) {
  PluginOp plugin = findPlugin(op, op.getCallee());
  for (auto [number, source] :
       llvm::enumerate(plugin.getSources().getAsRange<PluginSourceAttr>())) {
    if (!source.isHost())
      continue;
    SmallVector<std::string> arguments;
    auto append = [&](StringRef what, size_t count) {
      for (size_t i = 0; i < count; ++i)
        arguments.push_back((what + " " + Twine(i)).str());
    };
    append("operand", op.getInputs().size());
    append("result", op.getNumResults());
    appendDims("operand", op.getInputs().getTypes(), arguments);
    appendDims("result", op.getResultTypes(), arguments);
    for (StringRef name : plugin.getParameters())
      arguments.push_back(("parameter " + name).str());
    setConfig(kernel, {}, {1, 1, 1});
    setSource(op, number, arguments);
    return success();
  }
  return noSource(op, "cpu") << "; it has none of kind c";
}

//===-- CUDA --------------------------------------------------------------===//

/// Why a source is not for the chip; empty when it is.
static std::string whyNot(PluginSourceAttr source, const CudaChip &chip) {
  if (source.isHost())
    return "c is for the CPU";
  if (source.getKind() == "mlir")
    return "";
  if (!source.getCode())
    return source.getKind().str() +
           " is in a file, which --tripy-load-plugins reads";
  if (source.getKind() == "ptx")
    return "";
  StringRef code = source.getCode().getValue();
  Result<CubinInfo> info =
      readCubin({reinterpret_cast<const uint8_t *>(code.data()), code.size()});
  if (!info)
    return info.status().message();
  int found = static_cast<int>(info->architecture);
  // Machine code runs on chips of one generation, from its own on.
  bool runs = found / 10 == chip.version / 10 && found <= chip.version;
  return runs ? "" : "cubin is for sm_" + std::to_string(found);
}

LogicalResult codegen::emitDevicePlugin(kernel::FuncOp kernel,
                                        kernel::PluginOp op,
                                        gpu::GPUModuleOp device,
                                        StringRef chip) {
  PluginOp plugin = findPlugin(op, op.getCallee());
  std::string reasons;
  for (auto [number, source] :
       llvm::enumerate(plugin.getSources().getAsRange<PluginSourceAttr>())) {
    std::string reason = whyNot(source, CudaChip::of(chip));
    if (!reason.empty()) {
      reasons += (reasons.empty() ? "" : ", ") + reason;
      continue;
    }
    SmallVector<std::string> arguments = argumentsOf(plugin, source);
    if (source.getKind() == "mlir" &&
        failed(
            emitPluginFunction(kernel, op, plugin, source, device, arguments)))
      return failure();
    setConfig(kernel, op.getGrid(), source.getBlock());
    setSource(op, number, arguments);
    return success();
  }
  return noSource(op, ("cuda:" + chip).str()) << "; " << reasons;
}
