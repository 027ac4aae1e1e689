/*===- FailingMalloc.c - The C library's allocations fail -----------------===*\
|*
|* Preloaded into a tool: from allocation number TRIPY_FAIL_ALLOCATION of the
|* process on (0 is the first), all fail.
|*
\*===----------------------------------------------------------------------===*/

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

/* The C library's own, behind the ones below. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static long left = -1;

/* Allocations before main() are the loader's, and succeed. */
__attribute__((constructor)) static void start(void) {
  const char *number = getenv("TRIPY_FAIL_ALLOCATION");
  if (number)
    left = atol(number);
}

static int fails(void) {
  long before = __atomic_load_n(&left, __ATOMIC_RELAXED);
  while (before > 0)
    if (__atomic_compare_exchange_n(&left, &before, before - 1, 0,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return 0;
  if (before < 0)
    return 0;
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
