//===- CublasLtApi.cpp - cuBLASLt as a table of functions -----------------===//

#include "tripy/Runtime/Cuda/CublasLtApi.h"

#include "tripy/Base/Text.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <string_view>

using namespace tripy;
using namespace tripy::cuda;

template <typename Function>
static CublasLtSlot slot(const char *name, Function *&member) {
  return {name, reinterpret_cast<void **>(&member)};
}

std::array<CublasLtSlot, 15> cuda::cublasLtSlots(CublasLtApi &api) {
  return {{
      slot("cublasLtGetVersion", api.getVersion),
      slot("cublasLtGetStatusString", api.getStatusString),
      slot("cublasLtCreate", api.create),
      slot("cublasLtDestroy", api.destroy),
      slot("cublasLtMatmulDescCreate", api.matmulDescCreate),
      slot("cublasLtMatmulDescDestroy", api.matmulDescDestroy),
      slot("cublasLtMatmulDescSetAttribute", api.matmulDescSetAttribute),
      slot("cublasLtMatrixLayoutCreate", api.matrixLayoutCreate),
      slot("cublasLtMatrixLayoutDestroy", api.matrixLayoutDestroy),
      slot("cublasLtMatrixLayoutSetAttribute", api.matrixLayoutSetAttribute),
      slot("cublasLtMatmulPreferenceCreate", api.matmulPreferenceCreate),
      slot("cublasLtMatmulPreferenceDestroy", api.matmulPreferenceDestroy),
      slot("cublasLtMatmulPreferenceSetAttribute",
           api.matmulPreferenceSetAttribute),
      slot("cublasLtMatmulAlgoGetHeuristic", api.matmulAlgoGetHeuristic),
      slot("cublasLtMatmul", api.matmul),
  }};
}

std::string cuda::cublasLtName(const CublasLtApi &api) {
  size_t version = api.getVersion();
  return concat("cuBLASLt ", version / 10000, ".", version % 10000 / 100, ".",
                version % 100);
}

Status cuda::checkCublasLtVersion(const CublasLtApi &api) {
  if (api.getVersion() >= minCublasLtVersion)
    return Status::ok();
  return Status(Code::Unsupported,
                concat(cublasLtName(api), " is older than ",
                       minCublasLtVersion / 10000, ".0, which is needed"));
}

Result<CublasLtApi> cuda::loadCublasLt(const char *name) {
  // Never closed: like the driver, it does not survive being unloaded.
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return Status(Code::NotFound,
                  concat("cuBLASLt was not found: ",
                         printable(reason ? reason : "no reason given", 200)));
  }
  CublasLtApi api = {};
  for (const CublasLtSlot &slot : cublasLtSlots(api)) {
    *slot.place = dlsym(library, slot.name);
    if (!*slot.place)
      return Status(Code::Unsupported,
                    concat("'", printable(name, 1024), "' has no function ",
                           slot.name, ", so it is not a usable cuBLASLt"));
  }
  if (Status status = checkCublasLtVersion(api); !status.isOk())
    return status;
  return api;
}

static Result<CublasLtApi> findCublasLt() {
  const char *wanted = std::getenv("TRIPY_CUBLASLT");
  if (wanted && std::string_view(wanted) == "none")
    return Status(Code::NotFound, "TRIPY_CUBLASLT is 'none'");
  if (wanted && *wanted)
    return loadCublasLt(wanted);
  Result<CublasLtApi> newest = loadCublasLt("libcublasLt.so.13");
  if (newest || newest.status().code() != Code::NotFound)
    return newest;
  Result<CublasLtApi> older = loadCublasLt("libcublasLt.so.12");
  bool found = older || older.status().code() != Code::NotFound;
  return found ? older : newest;
}

Result<const CublasLtApi *> cuda::systemCublasLt() {
  static std::mutex mutex;
  static CublasLtApi library;
  static bool found = false;
  std::lock_guard lock(mutex);
  if (found)
    return &library;
  // A failure is not kept: it may have been for want of memory.
  Result<CublasLtApi> loaded = findCublasLt();
  if (!loaded)
    return loaded.status();
  library = *loaded;
  found = true;
  return &library;
}
