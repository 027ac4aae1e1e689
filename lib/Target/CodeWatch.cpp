//===- CodeWatch.cpp - What making machine code takes ---------------------===//

#include "tripy/Target/CodeWatch.h"

#include "llvm/ADT/STLExtras.h"

using namespace tripy::target;

mlir::TimingScope CodeWatch::nest(llvm::StringRef step) {
  return timing ? timing->nest(step) : mlir::TimingScope();
}

void CodeWatch::begin(llvm::StringRef step, size_t all) {
  std::lock_guard lock(mutex);
  counts[step] = {0, all};
}

void CodeWatch::advance(llvm::StringRef step, size_t kernels) {
  std::lock_guard lock(mutex);
  Count &count = counts[step];
  count.done += kernels;
  if (progress)
    progress(step, count.done, count.all);
}

void CodeWatch::add(const KernelSeconds &seconds) {
  std::lock_guard lock(mutex);
  KernelSeconds &sum = kernels[seconds.kernel];
  sum.kernel = seconds.kernel;
  sum.llvm += seconds.llvm;
  sum.assembler += seconds.assembler;
}

std::vector<KernelSeconds> CodeWatch::slowest(size_t count) const {
  std::lock_guard lock(mutex);
  std::vector<KernelSeconds> all;
  for (const auto &entry : kernels)
    all.push_back(entry.getValue());
  llvm::sort(all, [](const KernelSeconds &a, const KernelSeconds &b) {
    return a.total() != b.total() ? a.total() > b.total() : a.kernel < b.kernel;
  });
  all.resize(std::min(all.size(), count));
  return all;
}
