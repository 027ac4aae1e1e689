/* The kernel for the CPU. Built as a shared library; see tripy/plugin.h. */
#include <tripy/plugin.h>

struct parameters {
  int32_t limit;
};

/* Points (rows, columns, 2) of float32 -> steps (rows, columns) of int32. */
TRIPY_PLUGIN_EXPORT int32_t escape(const void *const *operands,
                                   void *const *results, const int64_t *sizes,
                                   const void *parameters) {
  const float *points = operands[0];
  int32_t *steps = results[0];
  const struct parameters *given = parameters;
  int64_t count = sizes[0] * sizes[1];
  for (int64_t i = 0; i < count; ++i) {
    float x = points[2 * i], y = points[2 * i + 1], a = 0, b = 0;
    int32_t n = 0;
    for (; n < given->limit && a * a + b * b <= 4; ++n) {
      float next = a * a - b * b + x;
      b = 2 * a * b + y;
      a = next;
    }
    steps[i] = n;
  }
  return 0;
}
