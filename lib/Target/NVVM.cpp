//===- NVVM.cpp - Machine code for NVIDIA GPUs ----------------------------===//

#include "tripy/Target/NVVM.h"

#include "Assembler.h"
#include "CodeGen.h"
#include "Partition.h"

#include "tripy/Base/Text.h"

#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;
using namespace tripy;
using namespace tripy::target;

static const llvm::Target *nvptxTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string error;
  return llvm::TargetRegistry::lookupTarget(llvm::Triple("nvptx64-nvidia-cuda"),
                                            error);
}

namespace {
/// An architecture and the PTX version that it needs at least.
struct Chip {
  StringRef name;
  StringRef ptx;
};
} // namespace

/// 8.4 is the oldest version used: with it, wgmma and TMA are complete.
static constexpr Chip chips[] = {
    {"sm_75", "+ptx84"},   {"sm_80", "+ptx84"},   {"sm_86", "+ptx84"},
    {"sm_87", "+ptx84"},   {"sm_89", "+ptx84"},   {"sm_90", "+ptx84"},
    {"sm_90a", "+ptx84"},  {"sm_100", "+ptx86"},  {"sm_100a", "+ptx86"},
    {"sm_103", "+ptx88"},  {"sm_103a", "+ptx88"}, {"sm_120", "+ptx87"},
    {"sm_120a", "+ptx87"},
};

Result<CudaTarget> target::findCudaTarget(const std::string &name) {
  ClosestName closest(name);
  std::string known;
  for (const Chip &chip : chips) {
    if (chip.name == name)
      return CudaTarget{name, chip.ptx.str()};
    closest.consider(std::string_view(chip.name));
    known += (known.empty() ? "" : ", ") + chip.name.str();
  }
  return Status(Code::InvalidArgument,
                concat("a GPU architecture must be one of ", known,
                       ", but is '", printable(name), "'",
                       closest.suggestion()));
}

/// LLVM IR -> PTX. Private globals get the part's number, since the texts of
/// all parts become one.
static LogicalResult compilePart(gpu::GPUModuleOp part, unsigned number,
                                 const CudaTarget &target,
                                 SmallVectorImpl<char> &out) {
  if (failed(lowerToLLVMDialect(part, /*device=*/true)))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(part, context, "device_code",
                              /*disableVerification=*/false);
  if (!module)
    return failure();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *backend = nvptxTarget();
  if (!backend)
    return emitError(part.getLoc(), "this LLVM makes no code for NVIDIA GPUs");
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, target.chip, target.ptx, llvm::TargetOptions(), std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  optimizeModule(*module, *machine);
  for (llvm::GlobalVariable &global : module->globals())
    if (global.hasLocalLinkage())
      global.setName(global.getName() + "_" + Twine(number));
  if (!emitModule(*module, *machine, Emission::Assembly, out))
    return emitError(part.getLoc(), "this LLVM makes no code for NVIDIA GPUs");
  return success();
}

/// Drops what may stand only once in a PTX text.
static void appendWithoutHeader(std::string &all, StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    StringRef start = line.ltrim();
    bool header = start.starts_with(".version") ||
                  start.starts_with(".target") ||
                  start.starts_with(".address_size");
    if (!header)
      all += (line + "\n").str();
    text = rest;
  }
}

FailureOr<std::string> target::compileToPTX(gpu::GPUModuleOp module,
                                            const CudaTarget &target) {
  MLIRContext *context = module.getContext();
  prepareContext(*context);
  std::vector<OwningOpRef<Operation *>> parts = partition(module);
  std::vector<SmallVector<char, 0>> texts(parts.size());
  LogicalResult result = failableParallelForEach(
      context, llvm::seq<size_t>(parts.size()), [&](size_t i) {
        return compilePart(cast<gpu::GPUModuleOp>(*parts[i]), i, target,
                           texts[i]);
      });
  if (failed(result))
    return failure();
  std::string all;
  for (const SmallVector<char, 0> &text : texts) {
    if (all.empty())
      all.assign(text.begin(), text.end());
    else
      appendWithoutHeader(all, StringRef(text.data(), text.size()));
  }
  return all;
}

/// The kernel that line `number` (from 1) of a PTX text belongs to, or "".
static std::string kernelOfLine(StringRef ptx, unsigned number) {
  std::string kernel;
  while (number-- > 0 && !ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    size_t entry = line.find(".entry ");
    if (entry != StringRef::npos)
      kernel = line.drop_front(entry + 7)
                   .take_until([](char c) { return c == '(' || c == ' '; })
                   .str();
    ptx = rest;
  }
  return kernel;
}

/// Where to report an assembler's message: at the kernel that it names, or
/// whose line it names.
static Location locate(StringRef message, StringRef ptx,
                       const llvm::StringMap<Location> &kernels,
                       Location fallback) {
  size_t at = message.find("line ");
  unsigned line = 0;
  if (at != StringRef::npos &&
      !message.drop_front(at + 5).consumeInteger(10, line)) {
    auto found = kernels.find(kernelOfLine(ptx, line));
    if (found != kernels.end())
      return found->second;
  }
  for (const auto &kernel : kernels)
    if (message.contains(kernel.getKey()))
      return kernel.getValue();
  return fallback;
}

/// Notes of the assembler that matter: a serialised wgmma fails the build,
/// memory behind registers is a remark.
static LogicalResult checkLog(StringRef log, StringRef ptx,
                              const llvm::StringMap<Location> &kernels,
                              Location fallback) {
  std::string current;
  for (StringRef line : llvm::split(log, '\n')) {
    if (line.contains("wgmma") && line.contains("serializ"))
      return emitError(locate(line, ptx, kernels, fallback),
                       "matrix instructions must not be serialised; the "
                       "assembler says: ")
             << line.trim();
    for (StringRef start :
         {"Compiling entry function '", "Function properties for "}) {
      size_t at = line.find(start);
      if (at != StringRef::npos)
        current = line.drop_front(at + start.size())
                      .take_until([](char c) { return c == '\'' || c == ' '; })
                      .str();
    }
    unsigned bytes = 0;
    StringRef rest = line.ltrim();
    if (rest.contains("bytes stack frame") && !rest.consumeInteger(10, bytes) &&
        bytes > 0)
      emitRemark(locate(current, ptx, kernels, fallback), "the kernel '")
          << current << "' keeps " << bytes
          << " bytes in local memory: it has more values than registers";
  }
  return success();
}

FailureOr<DeviceCode> target::compileDeviceCode(gpu::GPUModuleOp module,
                                                const CudaTarget &target) {
  llvm::StringMap<Location> kernels;
  for (auto func : module.getOps<FunctionOpInterface>())
    kernels.try_emplace(func.getName(), func->getLoc());
  Location loc = module.getLoc();
  FailureOr<std::string> ptx = compileToPTX(module, target);
  if (failed(ptx))
    return failure();
  DeviceCode code;
  code.ptx = std::move(*ptx);
  Result<AssembledCode> assembled = assemblePTX(code.ptx, target.chip);
  if (assembled) {
    if (failed(checkLog(assembled->log, code.ptx, kernels, loc)))
      return failure();
    code.cubin = std::move(assembled->cubin);
    return code;
  }
  const Status &status = assembled.status();
  if (status.code() == Code::NotFound) {
    emitWarning(loc, "the executable holds PTX only, which the driver "
                     "assembles at each load: ")
        << status.message();
    return code;
  }
  StringRef message = StringRef(status.message()).trim();
  return emitError(locate(message, code.ptx, kernels, loc),
                   "the assembler refuses the kernel: ")
         << printable(std::string_view(message), 2000);
}
