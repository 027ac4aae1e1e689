//===- ProgramCache.h - Compiled graphs by their structure ------*- C++ -*-===//
//
// What eager evaluation has compiled. A program is compiled once, also when
// several threads ask for it at the same time; values of constants are inputs
// of it. Private to the frontend.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_PROGRAMCACHE_H
#define TRIPY_LIB_FRONTEND_PROGRAMCACHE_H

#include "DiskCache.h"
#include "Evaluate.h"

#include "tripy/Base/Hash.h"
#include "tripy/Frontend/Cache.h"
#include "tripy/Runtime/ExecutionContext.h"

#include <list>
#include <unordered_map>

namespace tripy::frontend {

/// A loaded program, with the contexts that are not in use.
class CompiledProgram {
public:
  explicit CompiledProgram(std::shared_ptr<runtime::Executable> executable)
      : executable(std::move(executable)) {}

  const Program &program() const { return executable->program(); }
  const runtime::Executable &loaded() const { return *executable; }
  /// Description of an argument of a call.
  const InputDescription &argument(size_t number) const {
    return program().inputs[executable->argumentInputs()[number]];
  }
  /// Runs on a context of its own. Threads may call at the same time.
  Status run(std::span<const runtime::TensorView> inputs,
             std::span<const runtime::TensorView> outputs);
  Status outputShapes(std::span<const runtime::TensorView> inputs,
                      std::span<runtime::Shape> shapes);

  /// A context for one user at a time.
  using Context = std::unique_ptr<runtime::ExecutionContext>;
  Result<Context> take();
  void giveBack(Context context);

private:
  std::shared_ptr<runtime::Executable> executable;
  std::mutex mutex;
  std::vector<Context> idle;
};

class ProgramCache {
public:
  static ProgramCache &instance();

  /// The program of this structure on this device, compiled if need be. Throws
  /// Error.
  std::shared_ptr<CompiledProgram> find(const Collected &collected,
                                        const Device &device, SourceLoc loc);

  /// Whether find() has it at once, or waits for another thread's compilation.
  /// Not what is on disk alone.
  bool has(const Collected &collected, const Device &device);

  void setFolder(const std::string &folder, uint64_t bytes);
  CacheStatistics statistics();
  void clear();
  void setLimit(size_t programs);

private:
  struct Entry {
    std::mutex mutex;
    std::shared_ptr<CompiledProgram> program;
    std::list<Hash128>::iterator age;
  };
  struct KeyHash {
    size_t operator()(const Hash128 &hash) const { return hash.low; }
  };
  std::shared_ptr<Entry> entryOf(const Hash128 &key);
  void remove(const Hash128 &key);
  void shrink();
  DiskCache diskCache();
  std::shared_ptr<CompiledProgram> load(const Collected &collected,
                                        const std::string &structure,
                                        const Device &device, SourceLoc loc);

  std::mutex mutex;
  std::unordered_map<Hash128, std::shared_ptr<Entry>, KeyHash> entries;
  /// Keys, the one that was used last in front.
  std::list<Hash128> ages;
  size_t limit = 1024;
  /// None until it is set or used.
  std::optional<DiskCache> disk;
  CacheStatistics counts;
};

/// The bytes of an executable file for a device, which starts to be opened.
/// Throws Error: what the compiler says.
std::vector<uint8_t> compileEager(const GraphProgram &program,
                                  const Device &device, SourceLoc loc);

/// Throws what the compiler says of a program that it refused.
[[noreturn]] void throwCompileError(const Status &status, SourceLoc loc);

/// The compiler's name of a device: "cpu", "cuda:sm_90a". Starts to open it.
std::string targetOf(const Device &device, SourceLoc loc);

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_PROGRAMCACHE_H
