//===- Chips.cpp - What GPUs can launch -----------------------------------===//
//
// The figures are those of the CUDA C++ Programming Guide, "Compute
// Capabilities"; those that differ between chips are in Machines.td.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"

#include "tripy/Base/Machines.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::target;

// The same for all chips.
static constexpr uint64_t blockThreads = 1024, blockRegisters = 65536;
static constexpr uint32_t blockSizes[] = {1024, 1024, 64};
static constexpr uint64_t threadLocalBytes = 512 * 1024;
/// What is beyond must be dynamic.
static constexpr uint64_t blockStaticBytes = 48 * 1024;
/// Registers are given to warps in units of so many, and a multiple of so many
/// warps fits.
static constexpr uint64_t registerUnit = 256, warpUnit = 4, warpThreads = 32;

Result<CudaTarget> target::findCudaTarget(const std::string &name) {
  Result<const Machine *> chip = getMachine(name);
  if (!chip)
    return chip.status();
  return CudaTarget{name, (**chip).ptxFeature(),
                    uint32_t((**chip).blockSharedBytes),
                    uint32_t((**chip).clusterBlocks)};
}

//===-- what kernels use --------------------------------------------------===//

/// The number that stands before `unit` in `line`, or none.
static std::optional<uint64_t> numberBefore(StringRef line, StringRef unit) {
  size_t at = line.find(unit);
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef digits = line.take_front(at).rtrim();
  digits = digits.take_back(digits.size() - digits.rfind(' ') - 1);
  uint64_t number = 0;
  if (digits.getAsInteger(10, number))
    return std::nullopt;
  return number;
}

/// Sizes of the sections of static shared memory.
static void readShared(std::span<const uint8_t> cubin, const CudaTarget &target,
                       llvm::StringMap<KernelUse> &uses) {
  using File = llvm::object::ELFFile<llvm::object::ELF64LE>;
  // From sm_90 on, each begins with 1 KiB that is the system's, on top of what
  // a kernel may use.
  uint64_t reserved = target.clusterBlocks > 1 ? 1024 : 0;
  auto file = File::create(
      StringRef(reinterpret_cast<const char *>(cubin.data()), cubin.size()));
  if (!file)
    return llvm::consumeError(file.takeError());
  auto sections = file->sections();
  if (!sections)
    return llvm::consumeError(sections.takeError());
  for (const auto &section : *sections) {
    auto name = file->getSectionName(section);
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    uint64_t bytes = section.sh_size;
    if (name->consume_front(".nv.shared.") && uses.contains(*name))
      uses[*name].sharedBytes = bytes - std::min(bytes, reserved);
  }
}

llvm::StringMap<KernelUse>
target::readKernelUses(StringRef log,
                       std::span<const std::vector<uint8_t>> cubins,
                       const CudaTarget &target) {
  llvm::StringMap<KernelUse> uses;
  std::string current;
  for (StringRef line : llvm::split(log, '\n')) {
    for (StringRef start :
         {"Compiling entry function '", "Function properties for '",
          "Function properties for "}) {
      size_t at = line.find(start);
      if (at == StringRef::npos)
        continue;
      current = line.drop_front(at + start.size())
                    .take_until([](char c) { return c == '\'' || c == ' '; })
                    .str();
      break;
    }
    if (current.empty())
      continue;
    if (auto registers = numberBefore(line, " registers"))
      uses[current].registers = *registers;
    for (StringRef unit : {" bytes stack frame", " stack,", " bytes lmem"})
      if (auto bytes = numberBefore(line, unit))
        uses[current].localBytes = std::max(uses[current].localBytes, *bytes);
  }
  for (const std::vector<uint8_t> &cubin : cubins)
    readShared(cubin, target, uses);
  return uses;
}

//===-- rules -------------------------------------------------------------===//

/// "the kernel 'k' cannot be launched on sm_90a: ".
static InFlightDiagnostic refuse(Location loc, StringRef kernel,
                                 const CudaTarget &target) {
  return emitError(loc, "the kernel '")
         << kernel << "' cannot be launched on " << target.chip << ": ";
}

LogicalResult target::checkShape(Location loc, StringRef kernel,
                                 const LaunchShape &shape,
                                 const CudaTarget &target) {
  uint64_t threads = 1, blocks = 1;
  for (int i = 0; i < 3; ++i) {
    if (shape.block[i] < 1 || shape.block[i] > blockSizes[i])
      return refuse(loc, kernel, target)
             << "a block must have 1 to " << blockSizes[i] << " threads in "
             << "xyz"[i] << "; found " << shape.block[i];
    threads *= shape.block[i];
    if (shape.cluster[i] < 1)
      return refuse(loc, kernel, target)
             << "a cluster must have at least 1 block in " << "xyz"[i]
             << "; found 0";
    blocks = std::min<uint64_t>(blocks * shape.cluster[i], UINT32_MAX);
  }
  if (threads > blockThreads)
    return refuse(loc, kernel, target)
           << "a block must have at most " << blockThreads << " threads; found "
           << threads;
  if (blocks > 1 && target.clusterBlocks == 1)
    return refuse(loc, kernel, target)
           << "clusters need sm_90 or later; found one of " << blocks
           << " blocks";
  if (blocks > target.clusterBlocks)
    return refuse(loc, kernel, target)
           << "a cluster must have at most " << target.clusterBlocks
           << " blocks; found " << blocks;
  if (shape.dynamicShared > target.sharedBytes)
    return refuse(loc, kernel, target)
           << "a block must use at most " << target.sharedBytes
           << " bytes of shared memory; it needs " << shape.dynamicShared;
  return success();
}

LogicalResult target::checkUse(Location loc, StringRef kernel,
                               const LaunchShape &shape, const KernelUse &use,
                               const CudaTarget &target) {
  uint64_t shared = use.sharedBytes + shape.dynamicShared;
  if (shared > target.sharedBytes)
    return refuse(loc, kernel, target)
           << "a block must use at most " << target.sharedBytes
           << " bytes of shared memory; it needs " << shared << " ("
           << use.sharedBytes << " static and " << shape.dynamicShared
           << " dynamic)";
  if (use.sharedBytes > blockStaticBytes)
    return refuse(loc, kernel, target)
           << "a block must use at most " << blockStaticBytes
           << " bytes of static shared memory; it needs " << use.sharedBytes;
  if (use.localBytes > threadLocalBytes)
    return refuse(loc, kernel, target)
           << "a thread must use at most " << threadLocalBytes
           << " bytes of local memory; it needs " << use.localBytes;
  if (use.registers == 0)
    return success();
  uint64_t threads = uint64_t(shape.block[0]) * shape.block[1] * shape.block[2];
  uint64_t warps = llvm::divideCeil(threads, warpThreads);
  uint64_t ofWarp = llvm::alignTo(use.registers * warpThreads, registerUnit);
  uint64_t fitting = llvm::alignDown(blockRegisters / ofWarp, warpUnit);
  if (warps > fitting)
    return refuse(loc, kernel, target)
           << threads << " threads with " << use.registers
           << " registers each need " << warps * ofWarp
           << " registers, but a block has " << blockRegisters
           << ", enough for " << fitting * warpThreads << " such threads";
  return success();
}
