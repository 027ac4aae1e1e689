//===- DeviceCodeToBinary.cpp - gpu.module to gpu.binary ------------------===//

#include "tripy/Target/Passes.h"

#include "Assembler.h"

#include "tripy/Base/Text.h"
#include "tripy/Target/NVVM.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tripy {
#define GEN_PASS_DEF_DEVICECODETOBINARYPASS
#include "tripy/Target/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;
using namespace tripy::target;

namespace {
class DeviceCodeToBinary
    : public tripy::impl::DeviceCodeToBinaryPassBase<DeviceCodeToBinary> {
public:
  using DeviceCodeToBinaryPassBase::DeviceCodeToBinaryPassBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

private:
  LogicalResult run();
  /// The bytes of the object.
  FailureOr<std::string> compile(gpu::GPUModuleOp code, const CudaTarget &cuda);
};
} // namespace

FailureOr<std::string> DeviceCodeToBinary::compile(gpu::GPUModuleOp code,
                                                   const CudaTarget &cuda) {
  Location loc = code.getLoc();
  FailureOr<std::string> ptx = compileToPTX(code, cuda);
  if (failed(ptx) || format == "ptx")
    return ptx;
  Result<AssembledCode> assembled = assemblePTX(*ptx, cuda.chip);
  if (!assembled)
    return emitError(loc, assembled.status().message());
  return std::string(assembled->cubin.begin(), assembled->cubin.end());
}

LogicalResult DeviceCodeToBinary::run() {
  ModuleOp module = getOperation();
  if (format != "ptx" && format != "cubin")
    return emitError(module.getLoc(),
                     "format must be 'ptx' or 'cubin'; found '")
           << format << "'";
  Result<CudaTarget> cuda = findCudaTarget(chip);
  if (!cuda)
    return emitError(module.getLoc(), cuda.status().message());
  auto code = module.lookupSymbol<gpu::GPUModuleOp>("device_code");
  if (!code)
    return emitError(module.getLoc(),
                     "a program for CUDA must have a gpu.module @device_code");
  FailureOr<std::string> bytes = compile(code, *cuda);
  if (failed(bytes))
    return failure();
  OpBuilder b(code);
  auto target = NVVM::NVVMTargetAttr::get(
      b.getContext(), /*O=*/2, "nvptx64-nvidia-cuda", cuda->chip, cuda->ptx);
  auto object =
      gpu::ObjectAttr::get(b.getContext(), target,
                           format == "ptx" ? gpu::CompilationTarget::Assembly
                                           : gpu::CompilationTarget::Binary,
                           b.getStringAttr(*bytes), nullptr, nullptr);
  gpu::BinaryOp::create(b, code.getLoc(), code.getName(), nullptr,
                        b.getArrayAttr({object}));
  code.erase();
  return success();
}
