//===- Assembler.cpp - From PTX to a cubin --------------------------------===//

#include "Assembler.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Text.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

using namespace tripy;
using namespace tripy::target;
using llvm::StringRef;

/// Whether the user says where the toolkit is: then it is nowhere else.
static bool isHomeChosen() {
  const char *home = std::getenv("TRIPY_CUDA_HOME");
  return home && *home;
}

/// Folders where a CUDA toolkit may be.
static std::vector<std::string> cudaHomes() {
  if (isHomeChosen())
    return {std::getenv("TRIPY_CUDA_HOME")};
  std::vector<std::string> homes;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *value = std::getenv(variable); value && *value)
      homes.push_back(value);
  homes.push_back("/usr/local/cuda");
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry("/usr/local", error), end;
       entry != end && !error; entry.increment(error))
    if (llvm::sys::path::filename(entry->path()).starts_with("cuda-"))
      homes.push_back(entry->path());
  return homes;
}

/// What the assembler said, without what differs from one time to the next: how
/// long it took, and where its input was.
static std::string withoutChance(StringRef said, StringRef folder) {
  std::string log;
  while (!said.empty()) {
    auto [line, rest] = said.split('\n');
    said = rest;
    if (line.contains("Compile time"))
      continue;
    while (!line.empty()) {
      size_t at = folder.empty() ? StringRef::npos : line.find(folder);
      log += line.take_front(at);
      line = line.drop_front(at == StringRef::npos ? line.size()
                                                   : at + folder.size());
    }
    log += '\n';
  }
  return log;
}

/// How long each kernel took, by what the assembler said.
static std::vector<std::pair<std::string, double>> kernelTimes(StringRef said) {
  std::vector<std::pair<std::string, double>> times;
  std::string kernel;
  for (StringRef line : llvm::split(said, '\n')) {
    if (size_t at = line.find("entry function '"); at != StringRef::npos)
      kernel = line.drop_front(at).split('\'').second.split('\'').first.str();
    StringRef rest = line.split("Compile time = ").second;
    double milliseconds = 0;
    if (!kernel.empty() && !rest.split(" ms").first.getAsDouble(milliseconds))
      times.push_back({kernel, milliseconds / 1e3});
  }
  return times;
}

//===-- nvJitLink ---------------------------------------------------------===//

namespace {

/// The part of nvJitLink's interface that is used, by its documentation.
struct NvJitLink {
  using Handle = struct HandleTag *;
  int (*create)(Handle *, uint32_t, const char **) = nullptr;
  int (*destroy)(Handle *) = nullptr;
  int (*addData)(Handle, int, const void *, size_t, const char *) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*cubinSize)(Handle, size_t *) = nullptr;
  int (*cubin)(Handle, void *) = nullptr;
  int (*errorLogSize)(Handle, size_t *) = nullptr;
  int (*errorLog)(Handle, char *) = nullptr;
  int (*infoLogSize)(Handle, size_t *) = nullptr;
  int (*infoLog)(Handle, char *) = nullptr;

  bool load(void *library);
  Result<AssembledCode> assemble(const std::string &ptx,
                                 const std::string &chip) const;
};

} // namespace

/// nvJitLink's number for PTX input.
static constexpr int ptxInput = 2;

/// Options that the code depends on are in the identity: keep it in step.
static constexpr const char *jitOptions[] = {"-O3", "-verbose"};
static constexpr std::string_view ptxasOptions = "-O3 -v";

bool NvJitLink::load(void *library) {
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        dlsym(library, name));
    return function != nullptr;
  };
  return find(create, "nvJitLinkCreate") && find(destroy, "nvJitLinkDestroy") &&
         find(addData, "nvJitLinkAddData") &&
         find(complete, "nvJitLinkComplete") &&
         find(cubinSize, "nvJitLinkGetLinkedCubinSize") &&
         find(cubin, "nvJitLinkGetLinkedCubin") &&
         find(errorLogSize, "nvJitLinkGetErrorLogSize") &&
         find(errorLog, "nvJitLinkGetErrorLog") &&
         find(infoLogSize, "nvJitLinkGetInfoLogSize") &&
         find(infoLog, "nvJitLinkGetInfoLog");
}

/// Where nvJitLink may be, best first: paths, and then names that the system
/// looks for.
static std::vector<std::string> nvJitLinkPaths() {
  std::vector<std::string> paths;
  for (StringRef name :
       {"libnvJitLink.so", "libnvJitLink.so.13", "libnvJitLink.so.12"})
    for (const std::string &home : cudaHomes())
      for (StringRef folder : {"lib64", "lib", "targets/x86_64-linux/lib"})
        paths.push_back((home + "/" + folder + "/" + name).str());
  if (!isHomeChosen())
    for (StringRef name :
         {"libnvJitLink.so", "libnvJitLink.so.13", "libnvJitLink.so.12"})
      paths.push_back(name.str());
  return paths;
}

/// TRIPY_ASSEMBLER=nvjitlink or ptxas asks for one of them, to compare.
static bool isAllowed(StringRef assembler) {
  const char *wanted = std::getenv("TRIPY_ASSEMBLER");
  return !wanted || !*wanted || wanted == assembler;
}

/// The library, opened once and never closed; null when there is none.
static const NvJitLink *findNvJitLink() {
  static NvJitLink table;
  static bool found = false;
  static std::once_flag once;
  std::call_once(once, [] {
    for (const std::string &path : nvJitLinkPaths()) {
      void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library && table.load(library)) {
        found = true;
        return;
      }
    }
  });
  return found && isAllowed("nvjitlink") ? &table : nullptr;
}

Result<AssembledCode> NvJitLink::assemble(const std::string &ptx,
                                          const std::string &chip) const {
  std::string arch = "-arch=" + chip;
  std::vector<const char *> options = {arch.c_str()};
  options.insert(options.end(), std::begin(jitOptions), std::end(jitOptions));
  Handle handle = nullptr;
  auto text = [&](auto size, auto get) {
    size_t bytes = 0;
    std::string log;
    if (size(handle, &bytes) == 0 && bytes > 1) {
      log.resize(bytes);
      get(handle, log.data());
      log.resize(log.find('\0') == std::string::npos ? bytes : log.find('\0'));
    }
    return log;
  };
  if (create(&handle, uint32_t(options.size()), options.data()) != 0)
    return Status(Code::Unsupported,
                  concat("nvJitLink does not know the architecture ", chip));
  AssembledCode result;
  size_t size = 0;
  bool done = addData(handle, ptxInput, ptx.c_str(), ptx.size() + 1,
                      "kernels.ptx") == 0 &&
              complete(handle) == 0 && cubinSize(handle, &size) == 0;
  if (done) {
    result.cubin.resize(size);
    done = cubin(handle, result.cubin.data()) == 0;
  }
  std::string said = text(infoLogSize, infoLog);
  result.log = withoutChance(said, "");
  result.seconds = kernelTimes(said);
  std::string errors = text(errorLogSize, errorLog);
  destroy(&handle);
  if (!done)
    return Status(Code::Malformed,
                  errors.empty() ? "nvJitLink fails without a word" : errors);
  result.log += errors;
  return result;
}

//===-- ptxas -------------------------------------------------------------===//

static std::string findPtxas() {
  if (!isAllowed("ptxas"))
    return "";
  std::vector<std::string> folders;
  for (const std::string &home : cudaHomes())
    folders.push_back(home + "/bin");
  llvm::SmallVector<StringRef> refs(folders.begin(), folders.end());
  if (auto path = llvm::sys::findProgramByName("ptxas", refs))
    return *path;
  if (!isHomeChosen())
    if (auto path = llvm::sys::findProgramByName("ptxas"))
      return *path;
  return "";
}

static Result<AssembledCode> runPtxas(const std::string &ptxas,
                                      const std::string &ptx,
                                      const std::string &chip) {
  llvm::SmallString<128> folder;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("tripy", folder))
    return Status(Code::Io, concat("no temporary folder for ptxas: ",
                                   std::string_view(error.message())));
  auto in = [&](StringRef name) { return (folder + "/" + name).str(); };
  std::string input = in("kernels.ptx"), output = in("kernels.cubin"),
              log = in("log");
  Result<AssembledCode> result = [&]() -> Result<AssembledCode> {
    auto bytes = reinterpret_cast<const uint8_t *>(ptx.data());
    if (Status status = writeFile(input, {bytes, ptx.size()}); !status.isOk())
      return status;
    std::string arch = "-arch=" + chip;
    llvm::SmallVector<StringRef> arguments = {ptxas, arch, input, "-o", output};
    for (StringRef option : llvm::split(StringRef(ptxasOptions), ' '))
      arguments.push_back(option);
    std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                            StringRef(log)};
    std::string message;
    int code = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt,
                                         redirects, 0, 0, &message);
    std::string text;
    StringRef words;
    Result<std::vector<uint8_t>> said = readFile(log);
    if (said)
      words = {reinterpret_cast<const char *>(said->data()), said->size()};
    text = withoutChance(words, in(""));
    if (code != 0)
      return Status(Code::Malformed,
                    text.empty() ? concat("ptxas fails: ", message) : text);
    Result<std::vector<uint8_t>> cubin = readFile(output);
    if (!cubin)
      return cubin.status();
    return AssembledCode{std::move(*cubin), std::move(text),
                         kernelTimes(words)};
  }();
  llvm::sys::fs::remove_directories(folder);
  return result;
}

Result<AssembledCode> target::assemblePTX(const std::string &ptx,
                                          const std::string &chip) {
  std::string ptxas = findPtxas();
  if (!ptxas.empty())
    return runPtxas(ptxas, ptx, chip);
  if (const NvJitLink *library = findNvJitLink())
    return library->assemble(ptx, chip);
  return Status(Code::NotFound,
                isHomeChosen()
                    ? "neither ptxas nor libnvJitLink.so is in TRIPY_CUDA_HOME"
                    : "neither ptxas nor libnvJitLink.so is in CUDA_HOME, "
                      "/usr/local/cuda or the system's paths; TRIPY_CUDA_HOME "
                      "can name another folder");
}

/// Size and time of the file that `path` leads to, or "".
static std::string identityOfFile(const std::string &path) {
  llvm::SmallString<256> real;
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::real_path(path, real) ||
      llvm::sys::fs::status(real, status))
    return "";
  auto time = status.getLastModificationTime().time_since_epoch().count();
  return concat(std::string_view(real.str()), ":", status.getSize(), ":",
                int64_t(time), ";");
}

std::string target::assemblerIdentity() {
  std::string ptxas = findPtxas();
  if (!ptxas.empty())
    return concat("ptxas ", ptxasOptions, " ", identityOfFile(ptxas));
  if (!isAllowed("nvjitlink"))
    return "";
  std::string identity, options;
  // The first of these that can be loaded is used: all that exist decide.
  for (const std::string &path : nvJitLinkPaths())
    if (StringRef(path).contains('/'))
      identity += identityOfFile(path);
  // Only the loader knows where it finds a mere name.
  Dl_info place;
  if (identity.empty())
    if (const NvJitLink *library = findNvJitLink();
        library && dladdr(reinterpret_cast<void *>(library->create), &place))
      identity += identityOfFile(place.dli_fname);
  for (const char *option : jitOptions)
    options += std::string(option) + " ";
  return identity.empty() ? "" : identity + options;
}
