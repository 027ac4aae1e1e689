//===- NVVM.cpp - Machine code for NVIDIA GPUs ----------------------------===//

#include "tripy/Target/NVVM.h"

#include "Assembler.h"
#include "Chips.h"
#include "CodeGen.h"
#include "Partition.h"

#include "tripy/Base/Text.h"
#include "tripy/Target/CodeWatch.h"

#include "mlir/IR/Threading.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;
using namespace tripy;
using namespace tripy::target;

/// What a kernel starts with in a PTX text.
static constexpr llvm::StringLiteral entryDirective = ".entry ";

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

/// Marks assembly with side effects as convergent, as a CUDA compiler does: a
/// barrier must not be copied into some of the ways to it, where a part of a
/// warp could wait for the rest. A copied `griddepcontrol.wait` is correct, but
/// ptxas keeps less of what is behind it in registers.
static void keepConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = dyn_cast<llvm::CallBase>(&instruction))
        if (auto *text = dyn_cast<llvm::InlineAsm>(call->getCalledOperand());
            text && text->hasSideEffects())
          call->setConvergent();
}

/// LLVM IR -> PTX. Private globals get the part's number, since the texts of
/// all parts become one.
static LogicalResult compilePart(Operation *part, size_t number,
                                 const CudaTarget &target,
                                 SmallVectorImpl<char> &out, CodeWatch *watch) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translatePart(part, /*device=*/true, context);
  if (!module)
    return failure();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *backend = nvptxTarget();
  if (!backend)
    return emitError(part->getLoc(), "this LLVM makes no code for NVIDIA GPUs");
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, target.chip, target.ptx, llvm::TargetOptions(), std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  keepConvergent(*module);
  optimizeModule(*module, *machine, watch);
  for (llvm::GlobalVariable &global : module->globals())
    if (global.hasLocalLinkage())
      global.setName(global.getName() + "_" + Twine(number));
  if (!emitModule(*module, *machine, Emission::Assembly, out, watch))
    return emitError(part->getLoc(), "this LLVM makes no code for NVIDIA GPUs");
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

namespace {
/// Where kernels come from, by their names.
struct KernelPlaces {
  llvm::StringMap<Location> kernels;
  Location module;

  explicit KernelPlaces(gpu::GPUModuleOp module) : module(module.getLoc()) {
    for (auto func : module.getOps<FunctionOpInterface>())
      kernels.try_emplace(func.getName(), func->getLoc());
  }
  Location of(StringRef kernel) const {
    auto found = kernels.find(kernel);
    return found == kernels.end() ? module : found->second;
  }
  Location named(StringRef message) const;
  Location refused(StringRef message, StringRef ptx) const;
};
} // namespace

/// The kernel that line `number` (from 1) of a PTX text belongs to, or "".
static std::string kernelOfLine(StringRef ptx, unsigned number) {
  std::string kernel;
  while (number-- > 0 && !ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    size_t entry = line.find(entryDirective);
    if (entry != StringRef::npos)
      kernel = line.drop_front(entry + entryDirective.size())
                   .take_until([](char c) { return c == '(' || c == ' '; })
                   .str();
    ptx = rest;
  }
  return kernel;
}

/// The kernel that a message names: the longest of the names found.
Location KernelPlaces::named(StringRef message) const {
  Location place = module;
  size_t longest = 0;
  for (const auto &kernel : kernels)
    if (kernel.getKey().size() > longest && message.contains(kernel.getKey())) {
      longest = kernel.getKey().size();
      place = kernel.getValue();
    }
  return place;
}

/// Where to report why a text is refused: at the kernel whose line the message
/// names, or that it names.
Location KernelPlaces::refused(StringRef message, StringRef ptx) const {
  size_t at = message.find("line ");
  unsigned line = 0;
  if (at != StringRef::npos &&
      !message.drop_front(at + 5).consumeInteger(10, line)) {
    auto found = kernels.find(kernelOfLine(ptx, line));
    if (found != kernels.end())
      return found->second;
  }
  return named(message);
}

static LogicalResult reportRefusal(const Status &status, StringRef ptx,
                                   const KernelPlaces &places) {
  StringRef message = StringRef(status.message()).trim();
  return emitError(places.refused(message, ptx),
                   "the assembler refuses the kernel: ")
         << printable(std::string_view(message), 2000);
}

/// Parts of a module that LLVM makes PTX of, at most: a thread that is done
/// takes the next one, so that all are done at about the same time. Not by the
/// number of threads, so that a program has one text on any machine; the cubins
/// that it is assembled to are as many as threads.
static constexpr size_t maxPTXParts = 64;

/// Each part of the module as a PTX text of its own.
static FailureOr<std::vector<std::string>>
compilePartsToPTX(gpu::GPUModuleOp module, const CudaTarget &target,
                  CodeWatch *watch) {
  FailureOr<PartOutputs> texts = compileParts(
      module, maxPTXParts,
      [&](Operation *part, size_t number, SmallVectorImpl<char> &out) {
        return compilePart(part, number, target, out, watch);
      },
      watch);
  if (failed(texts))
    return failure();
  std::vector<std::string> parts;
  for (const SmallVector<char, 0> &text : *texts)
    parts.emplace_back(text.begin(), text.end());
  return parts;
}

static std::string joinPTX(ArrayRef<StringRef> parts) {
  std::string all;
  for (StringRef part : parts) {
    if (all.empty())
      all = part.str();
    else
      appendWithoutHeader(all, part);
  }
  return all;
}

FailureOr<std::string> target::compileToPTX(gpu::GPUModuleOp module,
                                            const CudaTarget &target) {
  FailureOr<std::vector<std::string>> parts =
      compilePartsToPTX(module, target, /*watch=*/nullptr);
  if (failed(parts))
    return failure();
  return joinPTX(llvm::to_vector_of<StringRef>(*parts));
}

/// Notes of the assembler that matter: serialised wgmma instructions and memory
/// behind registers are remarks, and a kernel must fit the chip.
static LogicalResult checkCode(const CachedCode &code,
                               const KernelPlaces &places,
                               const CudaTarget &target,
                               const llvm::StringMap<LaunchShape> &shapes) {
  if (StringRef(code.log).contains("'setmaxnreg' ignored"))
    emitRemark(places.module, "the assembler ignores setmaxnreg, so that "
                              "warp-specialized kernels are slower: ptxas, of "
                              "the CUDA toolkit, does not");
  for (StringRef line : llvm::split(StringRef(code.log), '\n'))
    if (line.contains("wgmma") && line.contains("serializ"))
      emitRemark(places.named(line),
                 "matrix instructions are serialized, which costs speed; the "
                 "assembler says: ")
          << line.trim();
  llvm::StringMap<KernelUse> uses =
      readKernelUses(code.log, code.cubins, target);
  // In the order of their names, so that messages come in one order.
  SmallVector<StringRef> names(places.kernels.keys());
  llvm::sort(names);
  for (StringRef name : names) {
    const KernelUse &use = uses[name];
    if (use.localBytes > 0)
      emitRemark(places.of(name), "the kernel '")
          << name << "' keeps " << use.localBytes
          << " bytes in local memory (register spills or local arrays)";
    auto shape = shapes.find(name);
    if (shape != shapes.end() &&
        failed(checkUse(places.of(name), name, shape->second, use, target)))
      return failure();
  }
  return success();
}

/// The texts joined to one for each thread. The time that the assembler takes
/// is about in proportion to the length of a text, whose instructions name all
/// the registers of a matrix product.
static std::vector<std::string> textsOfThreads(ArrayRef<std::string> parts,
                                               size_t threads) {
  auto sizes = llvm::map_to_vector(
      parts, [](const std::string &part) { return part.size(); });
  std::vector<SmallVector<StringRef>> texts(std::min(parts.size(), threads));
  for (auto [part, place] : llvm::zip(parts, spread(sizes, texts.size())))
    texts[place].push_back(part);
  std::vector<std::string> joined;
  for (ArrayRef<StringRef> text : texts)
    joined.push_back(joinPTX(text));
  return joined;
}

/// Assembles the texts on several threads, each to a cubin of its own. There
/// are none when there is no assembler.
static LogicalResult assembleTexts(MLIRContext *context, CachedCode &code,
                                   ArrayRef<std::string> texts,
                                   const CudaTarget &target,
                                   const KernelPlaces &places,
                                   CodeWatch *watch) {
  std::vector<std::optional<Result<AssembledCode>>> assembled(texts.size());
  TimingScope scope = watch ? watch->nest("assembler") : TimingScope();
  size_t kernels = 0;
  for (const std::string &text : texts)
    kernels += StringRef(text).count(entryDirective);
  if (watch)
    watch->begin("assembler", kernels);
  parallelFor(context, 0, texts.size(), [&](size_t i) {
    if (watch && watch->mustStop()) {
      assembled[i].emplace(Status(Code::Cancelled, "cancelled"));
      return;
    }
    assembled[i] = assemblePTX(texts[i], target.chip);
    if (!watch || !*assembled[i])
      return;
    watch->advance("assembler", StringRef(texts[i]).count(entryDirective));
    for (const auto &[kernel, seconds] : (**assembled[i]).seconds)
      watch->add({kernel, 0, seconds});
  });
  scope.stop();
  for (auto [text, result] : llvm::zip(texts, assembled)) {
    if (*result) {
      code.cubins.push_back(std::move((**result).cubin));
      code.log += (**result).log;
      continue;
    }
    const Status &status = result->status();
    if (status.code() != Code::NotFound)
      return reportRefusal(status, text, places);
    code.cubins.clear();
    emitWarning(places.module,
                "the executable holds PTX only, which the driver assembles at "
                "each load: ")
        << status.message();
    break;
  }
  return success();
}

static FailureOr<CachedCode> compileAndAssemble(gpu::GPUModuleOp module,
                                                const CudaTarget &target,
                                                const KernelPlaces &places,
                                                CodeWatch *watch) {
  FailureOr<std::vector<std::string>> parts =
      compilePartsToPTX(module, target, watch);
  CachedCode code;
  if (failed(parts))
    return failure();
  MLIRContext *context = module.getContext();
  std::vector<std::string> texts =
      textsOfThreads(*parts, countThreads(context));
  if (failed(assembleTexts(context, code, texts, target, places, watch)))
    return failure();
  code.ptx = joinPTX(llvm::to_vector_of<StringRef>(*parts));
  return code;
}

/// The key of `module`'s code; none when something that the code depends on
/// has no name.
static std::optional<CacheKey> keyOf(gpu::GPUModuleOp module,
                                     const CudaTarget &target) {
  std::string compiler = compilerIdentity(), assembler = assemblerIdentity();
  if (compiler.empty() || assembler.empty())
    return std::nullopt;
  // Text without locations: where a kernel comes from changes no code.
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(
      stream, OpPrintingFlags().enableDebugInfo(false).elideLargeElementsAttrs(
                  INT64_MAX));
  // A resource is printed as its name alone.
  if (StringRef(text).contains("dense_resource"))
    return std::nullopt;
  // Each thread's kernels are assembled to a cubin of their own.
  std::string cubins = std::to_string(countParts(
      module, std::min(maxPTXParts, countThreads(module.getContext()))));
  std::string_view parts[] = {"device code", compiler, assembler, target.chip,
                              target.ptx,    cubins,   text};
  return CacheKey::of(parts);
}

/// The module's code from the cache, or compiled and kept there.
static FailureOr<CachedCode>
findOrCompile(gpu::GPUModuleOp module, const CudaTarget &target,
              const KernelPlaces &places,
              const llvm::StringMap<LaunchShape> &shapes,
              const CacheOptions &options, CodeWatch *watch) {
  TimingScope scope = watch ? watch->nest("cache") : TimingScope();
  Result<std::optional<CodeCache>> opened = CodeCache::open(options);
  if (!opened)
    emitWarning(places.module, "no code is kept: ")
        << opened.status().message();
  std::optional<CodeCache> cache = opened ? std::move(*opened) : std::nullopt;
  std::optional<CacheKey> key = cache ? keyOf(module, target) : std::nullopt;
  std::optional<CachedCode> kept = key ? cache->find(*key) : std::nullopt;
  scope.stop();
  if (kept && watch) {
    size_t kernels = StringRef(kept->ptx).count(entryDirective);
    watch->begin("cache", kernels);
    watch->advance("cache", kernels);
  }
  if (kept && succeeded(checkCode(*kept, places, target, shapes)))
    return std::move(*kept);
  if (kept)
    return failure();
  FailureOr<CachedCode> made =
      compileAndAssemble(module, target, places, watch);
  if (failed(made) || failed(checkCode(*made, places, target, shapes)))
    return failure();
  if (!key || made->cubins.empty())
    return made;
  TimingScope storing = watch ? watch->nest("cache") : TimingScope();
  Status status = cache->store(*key, *made);
  if (!status.isOk() && cache->isChosen())
    emitRemark(places.module, "the machine code cannot be cached: ")
        << status.message();
  return made;
}

FailureOr<DeviceCode>
target::compileDeviceCode(gpu::GPUModuleOp module, const CudaTarget &target,
                          const llvm::StringMap<LaunchShape> &shapes,
                          const CacheOptions &cache, CodeWatch *watch) {
  KernelPlaces places(module);
  for (const auto &[name, shape] : shapes)
    if (failed(checkShape(places.of(name), name, shape, target)))
      return failure();
  FailureOr<CachedCode> code =
      findOrCompile(module, target, places, shapes, cache, watch);
  if (failed(code))
    return failure();
  return DeviceCode{std::move(code->ptx), std::move(code->cubins)};
}
