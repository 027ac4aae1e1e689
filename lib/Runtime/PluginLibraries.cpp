//===- PluginLibraries.cpp - Shared libraries of plugins ------------------===//

#include "PluginLibraries.h"
#include "NoThrow.h"
#include "tripy/Base/Text.h"
#include "tripy/Runtime/PluginLibraries.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <sys/stat.h>
#include <vector>

using namespace tripy;
using namespace tripy::runtime;

namespace {

struct Library {
  std::string name;
  void *handle;
};

/// Lives as long as the process: functions of libraries may be running.
struct Libraries {
  std::mutex mutex;
  std::vector<Library> list;

  static Libraries &get() {
    static Libraries &libraries = *new Libraries;
    return libraries;
  }
  const Library *find(std::string_view name) const {
    for (const Library &library : list)
      if (library.name == name)
        return &library;
    return nullptr;
  }
};

} // namespace

static Status load(const std::string &path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  struct stat info;
  if (name.empty() || path.find('\0') != std::string::npos)
    return Status(Code::InvalidArgument,
                  concat("a plugin library must be a file, but is '",
                         printable(path, 1024), "'"));
  if (::stat(path.c_str(), &info) != 0)
    return Status(errno == ENOENT ? Code::NotFound : Code::Io,
                  concat("no plugin library '", printable(path, 1024),
                         "': ", std::strerror(errno)));
  // Without '/', the dynamic linker would search for the name.
  std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  Libraries &libraries = Libraries::get();
  std::lock_guard lock(libraries.mutex);
  libraries.list.reserve(libraries.list.size() + 1);
  void *handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = ::dlerror();
    return Status(
        Code::Io,
        concat("the plugin library '", printable(path, 1024),
               "' cannot be loaded: ", printable(reason ? reason : "", 1024)));
  }
  if (const Library *known = libraries.find(name)) {
    bool isSame = known->handle == handle;
    ::dlclose(handle);
    return isSame ? Status::ok()
                  : Status(Code::InvalidArgument,
                           concat("another plugin library of the name '",
                                  printable(name), "' is loaded already"));
  }
  libraries.list.push_back({std::move(name), handle});
  return Status::ok();
}

Status runtime::loadPluginLibrary(const std::string &path) {
  return withoutExceptions("to load a plugin library",
                           [&] { return load(path); });
}

Result<PluginFunction> runtime::findPluginFunction(const std::string &library,
                                                   const std::string &symbol) {
  Libraries &libraries = Libraries::get();
  std::lock_guard lock(libraries.mutex);
  const Library *found = libraries.find(library);
  if (!found)
    return Status(
        Code::Unsupported,
        concat("the program calls '", printable(symbol),
               "' of the plugin library '", printable(library),
               "', which is not loaded: load the file with "
               "tripy_plugin_library_load(), or tripy-run --plugin-library, if "
               "you trust it"));
  void *address = ::dlsym(found->handle, symbol.c_str());
  if (!address)
    return Status(Code::NotFound,
                  concat("the plugin library '", printable(library),
                         "' has no function '", printable(symbol), "'"));
  return reinterpret_cast<PluginFunction>(address);
}
