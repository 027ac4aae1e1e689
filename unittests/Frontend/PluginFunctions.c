/*===- PluginFunctions.c - Kernels for the CPU that tests call ------------===*/

#include <tripy/plugin.h>

/* r[i] = x[i] * factor + offset, for x of rank 2. */
TRIPY_PLUGIN_EXPORT int32_t scale(const void *const *operands,
                                  void *const *results, const int64_t *sizes,
                                  const void *parameters) {
  const struct {
    float factor;
    int64_t offset;
  } *given = parameters;
  const float *x = operands[0];
  float *r = results[0];
  for (int64_t i = 0; i < sizes[0] * sizes[1]; ++i)
    r[i] = x[i] * given->factor + (float)given->offset;
  return 0;
}

/* The sums and the differences of neighbours in a list, and their number. */
TRIPY_PLUGIN_EXPORT int32_t pairs(const void *const *operands,
                                  void *const *results, const int64_t *sizes,
                                  const void *parameters) {
  const int32_t *x = operands[0];
  int32_t *sums = results[0], *differences = results[1];
  int64_t count = sizes[1];
  (void)parameters;
  for (int64_t i = 0; i < count; ++i) {
    sums[i] = x[2 * i] + x[2 * i + 1];
    differences[i] = x[2 * i + 1] - x[2 * i];
  }
  return 0;
}

/* a + b, numbers. */
TRIPY_PLUGIN_EXPORT int32_t add(const void *const *operands,
                                void *const *results, const int64_t *sizes,
                                const void *parameters) {
  (void)sizes;
  (void)parameters;
  *(double *)results[0] =
      *(const double *)operands[0] + *(const double *)operands[1];
  return 0;
}

TRIPY_PLUGIN_EXPORT int32_t refuse(const void *const *operands,
                                   void *const *results, const int64_t *sizes,
                                   const void *parameters) {
  (void)operands;
  (void)results;
  (void)sizes;
  (void)parameters;
  return 7;
}
