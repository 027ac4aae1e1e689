/*===- SharedLibraryTest.c - The library in threads without memory --------===*\
|*
|* Opens libtripy_runtime.so as Python does, while the program runs, and calls
it
|* from threads that have no memory from their first call on. A thread's copy of
|* the library's thread-local data must be there already: the C library ends the
|* process when it cannot make one.
|*
|* usage: SharedLibraryTest libtripy_runtime.so FILE, which is no executable.
|*
\*===----------------------------------------------------------------------===*/

#include "tripy/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The C library's own, behind the ones below. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

/* This thread's allocations that still succeed; below 0: all. */
static __thread long left = -1;

static int fails(void) {
  if (left < 0)
    return 0;
  if (left > 0) {
    --left;
    return 0;
  }
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) {
  return fails() ? NULL : __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
  return fails() ? NULL : __libc_realloc(memory, size);
}
void *memalign(size_t alignment, size_t size) {
  return fails() ? NULL : __libc_memalign(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

static tripy_code (*load)(const char *, const tripy_load_options *,
                          tripy_executable **);
static const char *(*lastError)(void);

static const char *file;
/* Allocations that the thread may make. */
static long allowed;
static tripy_code code;
static char message[256];

/* The first calls of a thread. */
static void *call(void *unused) {
  tripy_executable *executable = NULL;
  (void)unused;
  left = allowed;
  code = load(file, NULL, &executable);
  strncpy(message, lastError(), sizeof(message) - 1);
  left = -1;
  return NULL;
}

int main(int argc, char **argv) {
  void *library;
  if (argc != 3 || !(library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL))) {
    fprintf(stderr, "usage: SharedLibraryTest LIBRARY FILE\n");
    return 2;
  }
  *(void **)&load = dlsym(library, "tripy_executable_load");
  *(void **)&lastError = dlsym(library, "tripy_last_error");
  file = argv[2];
  for (allowed = 0; allowed < 10000; ++allowed) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, call, NULL) != 0)
      return 2;
    pthread_join(thread, NULL);
    if (code == TRIPY_BAD_MAGIC && strstr(message, "not a Tripy executable")) {
      printf("right with %ld allocations\n", allowed);
      return allowed > 0 ? 0 : 1;
    }
    /* Where the sentence alone had no memory, the code is right. */
    if ((code != TRIPY_HOST_OUT_OF_MEMORY && code != TRIPY_BAD_MAGIC) ||
        strcmp(message, "no memory") != 0) {
      printf("with %ld allocations: %d, %s\n", allowed, (int)code, message);
      return 1;
    }
  }
  return 1;
}
