//===- ThreadTexts.cpp - Texts that the C interface hands out -------------===//

#include "ThreadTexts.h"

#include <new>
#include <pthread.h>

using namespace tripy;
using namespace tripy::runtime;

namespace {

/// Plain data, so that a thread's first use does nothing.
struct ThreadState {
  ThreadTexts *texts = nullptr;
  /// There was no memory for the last failure's sentence.
  bool lostError = false;
};

/// A library that is opened while the program runs gets its thread-local data
/// when a thread first touches it, from the heap, and the process ends when
/// that is empty. This model gives all of the library's, the C++ runtime's
/// included, a place in the threads from the start.
constinit thread_local ThreadState state
    __attribute__((tls_model("initial-exec")));

void releaseTexts(void *texts) {
  delete static_cast<ThreadTexts *>(texts);
  state = {};
}

/// Frees the texts of threads that end.
struct ReleaseKey {
  pthread_key_t key = 0;
  bool made = ::pthread_key_create(&key, releaseTexts) == 0;
  ~ReleaseKey() {
    if (!made)
      return;
    made = false;
    ::pthread_key_delete(key);
    releaseTexts(state.texts);
  }
} releaseKey;

} // namespace

ThreadTexts *runtime::threadTexts() noexcept {
  if (state.texts || !releaseKey.made)
    return state.texts;
  auto *texts = new (std::nothrow) ThreadTexts;
  if (texts && ::pthread_setspecific(releaseKey.key, texts) != 0) {
    delete texts;
    texts = nullptr;
  }
  state.texts = texts;
  return texts;
}

void runtime::setLastError(std::string_view message) noexcept {
  ThreadTexts *texts = threadTexts();
  state.lostError = texts == nullptr;
  if (!texts)
    return;
  try {
    texts->error = message;
  } catch (const std::bad_alloc &) {
    state.lostError = true;
  }
}

const char *runtime::lastError() noexcept {
  if (state.lostError)
    return "no memory";
  return state.texts ? state.texts->error.c_str() : "";
}
