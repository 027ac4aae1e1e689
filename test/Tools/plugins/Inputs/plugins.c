/* Functions for the CPU: see the programs that name them. */
#include <tripy/plugin.h>

struct split_parameters {
  int64_t n;
  double d;
  float f;
  int32_t i;
};

TRIPY_PLUGIN_EXPORT int32_t split_sizes(const void *const *operands,
                                        void *const *results,
                                        const int64_t *sizes,
                                        const void *parameters) {
  const struct split_parameters *p = parameters;
  float *v = results[0];
  int32_t *w = results[1];
  if (p->i == 99)
    return -7;
  for (int64_t i = 0; i < sizes[2]; ++i)
    v[i] = p->f + (float)p->d;
  for (int64_t i = 0; i < sizes[3] * sizes[4]; ++i)
    w[i] = (int32_t)(sizes[0] - sizes[1]) + (int32_t)p->n + p->i;
  return 0;
}

TRIPY_PLUGIN_EXPORT int32_t difference(const void *const *operands,
                                       void *const *results,
                                       const int64_t *sizes,
                                       const void *parameters) {
  const float *a = operands[0], *b = operands[1];
  float *r = results[0];
  for (int64_t i = 0; i < sizes[0]; ++i)
    r[i] = a[i] - b[i];
  return 0;
}
