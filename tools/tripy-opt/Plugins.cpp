//===- Plugins.cpp - Plugins that do not fit are refused ------------------===//

#include "Plugins.h"

#include "tripy/Base/Text.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/DynamicLibrary.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace tripy;

namespace {
/// A kind of plugin: its option, the function that describes it, what it has.
struct Dialects {
  using Info = DialectPluginLibraryInfo;
  static constexpr const char *option = "load-dialect-plugin";
  static constexpr const char *entry = "mlirGetDialectPluginInfo";
  static constexpr const char *noun = "dialects";
  static constexpr auto callback = &Info::registerDialectRegistryCallbacks;
};
struct Passes {
  using Info = PassPluginLibraryInfo;
  static constexpr const char *option = "load-pass-plugin";
  static constexpr const char *entry = "mlirGetPassPluginInfo";
  static constexpr const char *noun = "passes";
  static constexpr auto callback = &Info::registerPassRegistryCallbacks;
};
} // namespace

/// The shared libraries that a file names; none when it is no 64-bit library.
static std::vector<std::string> neededLibraries(StringRef path) {
  using Elf = llvm::object::ELF64LE;
  std::vector<std::string> names;
  auto binary = llvm::object::ObjectFile::createObjectFile(path);
  if (!binary) {
    llvm::consumeError(binary.takeError());
    return names;
  }
  auto *file = dyn_cast<llvm::object::ELFObjectFile<Elf>>(binary->getBinary());
  if (!file)
    return names;
  auto entries = file->getELFFile().dynamicEntries();
  if (!entries) {
    llvm::consumeError(entries.takeError());
    return names;
  }
  uint64_t table = 0, size = 0;
  for (const Elf::Dyn &entry : *entries) {
    if (entry.d_tag == llvm::ELF::DT_STRTAB)
      table = entry.d_un.d_ptr;
    if (entry.d_tag == llvm::ELF::DT_STRSZ)
      size = entry.d_un.d_val;
  }
  auto start = file->getELFFile().toMappedAddr(table);
  StringRef data = file->getData();
  if (!start || *start < data.bytes_begin() ||
      size > uint64_t(data.bytes_end() - *start)) {
    llvm::consumeError(start.takeError());
    return names;
  }
  StringRef strings(reinterpret_cast<const char *>(*start), size);
  for (const Elf::Dyn &entry : *entries)
    if (entry.d_tag == llvm::ELF::DT_NEEDED)
      names.push_back(strings.substr(entry.d_un.d_val).split('\0').first.str());
  return names;
}

static bool isLoaded(const std::string &library) {
  void *loaded = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (loaded)
    dlclose(loaded);
  return loaded;
}

/// Why the plugin would bring a second copy of LLVM, MLIR or Tripy along; empty
/// when it would not. Two copies in one process abort.
static std::string secondCopy(const std::string &path) {
  const std::string mlir =
      concat("libMLIR.so.", LLVM_VERSION_MAJOR, ".", LLVM_VERSION_MINOR);
  if (!isLoaded(mlir))
    return concat("tripy-opt must link ", mlir,
                  " to load plugins, but this one is linked statically");
  for (const std::string &name : neededLibraries(path))
    for (const char *ours : {"libMLIR.so", "libLLVM", "libTripy.so"})
      if (StringRef(name).starts_with(ours) && !isLoaded(name))
        return concat("a plugin must link the libraries that tripy-opt links "
                      "(",
                      mlir, "), but '", path, "' links ", name);
  return "";
}

/// Loads the plugin and calls its callback; returns what is wrong with it, or
/// nothing.
template <typename Kind, typename... Args>
static std::string load(const std::string &path, Args... args) {
  std::string error;
  auto library =
      llvm::sys::DynamicLibrary::getPermanentLibrary(path.c_str(), &error);
  if (!library.isValid())
    return concat("a plugin must be a shared library that can be loaded: ",
                  error);
  void *entry = library.getAddressOfSymbol(Kind::entry);
  if (!entry)
    return concat("a plugin for ", Kind::noun, " must have the function ",
                  Kind::entry, ", but '", path, "' has none");
  auto info = reinterpret_cast<typename Kind::Info (*)()>(entry)();
  if (info.apiVersion != MLIR_PLUGIN_API_VERSION)
    return concat("a plugin must have version ", MLIR_PLUGIN_API_VERSION,
                  " of MLIR's plugin interface, but '", path, "' has version ",
                  info.apiVersion);
  if (!(info.*Kind::callback))
    return concat("a plugin for ", Kind::noun,
                  " must have a callback that registers them, but '", path,
                  "' has none");
  (info.*Kind::callback)(args...);
  return "";
}

/// What the child puts between what the plugin prints and its own text.
static constexpr char separator = '\0';
/// The child's exit status when it has a text.
static constexpr int hasText = 2;

[[noreturn]] static void runChild(int output,
                                  llvm::function_ref<std::string()> work) {
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  std::string text = work();
  std::fflush(nullptr);
  if (text.empty())
    _exit(0);
  text.insert(text.begin(), separator);
  (void)!write(output, text.data(), text.size());
  _exit(hasText);
}

/// Runs `work` on the plugin in a child process; returns its text, or how the
/// process ended.
static std::string tryInChild(const std::string &path,
                              llvm::function_ref<std::string()> work) {
  int ends[2];
  if (pipe(ends) != 0)
    return concat("cannot create a pipe: ", std::strerror(errno));
  pid_t child = fork();
  if (child < 0)
    return concat("cannot start a process: ", std::strerror(errno));
  if (child == 0)
    runChild(ends[1], work);
  close(ends[1]);
  std::string printed;
  char buffer[4096];
  for (ssize_t bytes; (bytes = read(ends[0], buffer, sizeof buffer)) > 0;)
    printed.append(buffer, bytes);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return "";
  size_t at = printed.find(separator);
  if (WIFEXITED(status) && WEXITSTATUS(status) == hasText &&
      at != std::string::npos)
    return printed.substr(at + 1);
  std::string how = WIFSIGNALED(status)
                        ? concat("signal ", strsignal(WTERMSIG(status)))
                        : concat("exit status ", WEXITSTATUS(status));
  StringRef line = StringRef(printed).split('\n').first;
  return concat("a plugin must not end the process that loads it, but '", path,
                "' does (", how, ")", line.empty() ? "" : ": ",
                printable(line.str(), 500));
}

template <typename Kind, typename... Args>
static void loadOrFail(const std::string &path, Args... args) {
  std::string error = secondCopy(path);
  if (error.empty())
    error = tryInChild(path, [&] { return load<Kind>(path, args...); });
  if (error.empty())
    error = load<Kind>(path, args...);
  if (error.empty())
    return;
  llvm::errs() << "tripy-opt: error: --" << Kind::option << ": " << error
               << '\n';
  std::exit(EXIT_FAILURE);
}

/// MLIR's own option, which has been registered.
template <typename Kind> static llvm::cl::list<std::string> &option() {
  return *static_cast<llvm::cl::list<std::string> *>(
      llvm::cl::getRegisteredOptions().lookup(Kind::option));
}

void tripy::checkPluginsWhenLoaded(DialectRegistry &registry) {
  option<Dialects>().setCallback(
      [&](const std::string &path) { loadOrFail<Dialects>(path, &registry); });
  option<Passes>().setCallback(
      [](const std::string &path) { loadOrFail<Passes>(path); });
}
