//===- ProgramCache.cpp - Compiled graphs by their structure --------------===//

#include "ProgramCache.h"

#include "Log.h"
#include "Throw.h"

#include "tripy/Base/Machines.h"
#include "tripy/Runtime/Cuda/DriverApi.h"

using namespace tripy;
using namespace tripy::frontend;

//===-- programs ----------------------------------------------------------===//

Result<CompiledProgram::Context> CompiledProgram::take() {
  {
    std::lock_guard lock(mutex);
    if (!idle.empty()) {
      Context context = std::move(idle.back());
      idle.pop_back();
      return context;
    }
  }
  return runtime::ExecutionContext::create(executable);
}

void CompiledProgram::giveBack(Context context) {
  std::lock_guard lock(mutex);
  idle.push_back(std::move(context));
}

Status CompiledProgram::run(std::span<const runtime::TensorView> inputs,
                            std::span<const runtime::TensorView> outputs) {
  Result<Context> context = take();
  if (!context)
    return context.status();
  LogTimer timer;
  Status status = (*context)->run(inputs, outputs);
  if (isLogged(LogComponent::Run, LogLevel::Debug))
    log(LogComponent::Run, LogLevel::Debug,
        "a call with " + std::to_string(program().launches.size()) +
            " launches took " + timer.text());
  giveBack(std::move(*context));
  return status;
}

Status
CompiledProgram::outputShapes(std::span<const runtime::TensorView> inputs,
                              std::span<runtime::Shape> shapes) {
  Result<Context> context = take();
  if (!context)
    return context.status();
  Status status = (*context)->outputShapes(inputs, shapes);
  giveBack(std::move(*context));
  return status;
}

//===-- the cache ---------------------------------------------------------===//

ProgramCache &ProgramCache::instance() {
  static ProgramCache *cache = new ProgramCache;
  return *cache;
}

std::shared_ptr<ProgramCache::Entry> ProgramCache::entryOf(const Hash128 &key) {
  std::lock_guard lock(mutex);
  auto found = entries.find(key);
  if (found != entries.end()) {
    ages.splice(ages.begin(), ages, found->second->age);
    return found->second;
  }
  auto entry = std::make_shared<Entry>();
  ages.push_front(key);
  entry->age = ages.begin();
  entries.emplace(key, entry);
  shrink();
  return entry;
}

/// Under `mutex`.
void ProgramCache::shrink() {
  while (ages.size() > limit) {
    entries.erase(ages.back());
    ages.pop_back();
  }
}

void ProgramCache::remove(const Hash128 &key) {
  std::lock_guard lock(mutex);
  auto found = entries.find(key);
  if (found == entries.end())
    return;
  ages.erase(found->second->age);
  entries.erase(found);
}

/// "sm_90a" of GPU number `ordinal`; "" where nothing is known of it.
static std::string chipOf(int32_t ordinal) {
  Result<const cuda::DriverApi *> found = cuda::systemDriver();
  if (!found)
    return "";
  const cuda::DriverApi &api = **found;
  cuda::DeviceId id;
  int major = 0, minor = 0;
  auto read = [&](cuda::DeviceAttribute attribute, int &value) {
    return api.deviceGetAttribute(&value, attribute, id) ==
           cuda::DriverResult::Success;
  };
  if (api.deviceGet(&id, ordinal) != cuda::DriverResult::Success ||
      !read(cuda::DeviceAttribute::ComputeMajor, major) ||
      !read(cuda::DeviceAttribute::ComputeMinor, minor))
    return "";
  std::string name = "sm_" + std::to_string(major * 10 + minor);
  // With the instructions that this architecture alone has.
  return findMachine(name + "a") ? name + "a" : findMachine(name) ? name : "";
}

std::string tripy::frontend::targetOf(const Device &device, SourceLoc loc) {
  if (!device.isGpu())
    return "cpu";
  startOpening(device, loc); // and starts the driver
  std::string chip = chipOf(device.index());
  return chip.empty() ? "cuda" : "cuda:" + chip;
}

DiskCache ProgramCache::diskCache() {
  std::lock_guard lock(mutex);
  if (!disk)
    disk.emplace(programFolder(), uint64_t(256) << 20);
  return *disk;
}

static Result<std::shared_ptr<runtime::Executable>>
loadEager(std::span<const uint8_t> bytes, const Device &device, SourceLoc loc) {
  runtime::LoadOptions load;
  load.trustHostCode = true; // made by this process, or kept for its user
  load.device = openDevice(device, loc);
  return runtime::Executable::loadBytes(bytes, load);
}

static LoweringOptions eagerOptions(const Device &device, SourceLoc loc) {
  LoweringOptions options;
  options.target = targetOf(device, loc);
  options.verify = false;
  return options;
}

void tripy::frontend::throwCompileError(const Status &status, SourceLoc loc) {
  // The compiler's text has the user's lines; a sentence has none.
  if (status.message().find('\n') == std::string::npos)
    fail(status.code(), status.message(), loc);
  throw Error::withText(status.code(), status.message(), loc);
}

std::vector<uint8_t> tripy::frontend::compileEager(const GraphProgram &program,
                                                   const Device &device,
                                                   SourceLoc loc) {
  auto bytes = compileGraph(program, eagerOptions(device, loc));
  if (bytes)
    return std::move(*bytes);
  throwCompileError(bytes.status(), loc);
}

/// From the folder, or compiled.
std::shared_ptr<CompiledProgram>
ProgramCache::load(const Collected &collected, const std::string &structure,
                   const Device &device, SourceLoc loc) {
  DiskCache folder = diskCache();
  std::string name =
      folder.isOn() ? programKey(structure, eagerOptions(device, loc)) : "";
  // What is not lowered has no IR to be written.
  if (!name.empty() && dumpFolder().empty())
    if (auto kept = folder.find(name))
      // What cannot be loaded is replaced.
      if (auto executable = loadEager(*kept, device, loc)) {
        log(LogComponent::Eager, LogLevel::Debug,
            "the program is loaded from the cache on disk");
        std::lock_guard lock(mutex);
        ++counts.fromDisk;
        return std::make_shared<CompiledProgram>(std::move(*executable));
      }
  log(LogComponent::Eager, LogLevel::Debug, "the program is compiled");
  std::vector<uint8_t> bytes = compileEager(collected.program, device, loc);
  auto executable = loadEager(bytes, device, loc);
  check(executable.status(), loc);
  if (!name.empty())
    folder.store(name, bytes);
  return std::make_shared<CompiledProgram>(std::move(*executable));
}

static Hash128 keyOf(const std::string &structure, const Device &device) {
  std::string text = structure + device.str();
  return hashBytes(
      {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
}

bool ProgramCache::has(const Collected &collected, const Device &device) {
  Hash128 key = keyOf(structureOf(collected), device);
  std::lock_guard lock(mutex);
  return entries.contains(key);
}

std::shared_ptr<CompiledProgram> ProgramCache::find(const Collected &collected,
                                                    const Device &device,
                                                    SourceLoc loc) {
  std::string structure = structureOf(collected);
  Hash128 key = keyOf(structure, device);
  std::shared_ptr<Entry> entry = entryOf(key);
  // Others that want this program wait here; those who want another do not.
  std::lock_guard lock(entry->mutex);
  bool isKnown = entry->program != nullptr;
  {
    std::lock_guard count(mutex);
    (isKnown ? counts.hits : counts.misses)++;
  }
  if (isKnown) {
    log(LogComponent::Eager, LogLevel::Debug, "the program is there");
    return entry->program;
  }
  try {
    entry->program = load(collected, structure, device, loc);
  } catch (...) {
    remove(key);
    throw;
  }
  return entry->program;
}

void ProgramCache::setFolder(const std::string &folder, uint64_t bytes) {
  std::lock_guard lock(mutex);
  disk.emplace(folder, bytes);
}

CacheStatistics ProgramCache::statistics() {
  std::lock_guard lock(mutex);
  CacheStatistics result = counts;
  result.programs = entries.size();
  return result;
}

void ProgramCache::clear() {
  std::lock_guard lock(mutex);
  entries.clear();
  ages.clear();
  counts = {};
}

void ProgramCache::setLimit(size_t programs) {
  std::lock_guard lock(mutex);
  limit = programs;
  shrink();
}

CacheStatistics tripy::eagerCacheStatistics() {
  return ProgramCache::instance().statistics();
}
void tripy::clearEagerCache() { ProgramCache::instance().clear(); }
void tripy::setEagerCacheLimit(size_t programs) {
  ProgramCache::instance().setLimit(programs);
}
void tripy::setEagerCacheFolder(const std::string &folder, uint64_t bytes) {
  ProgramCache::instance().setFolder(folder, bytes);
}
