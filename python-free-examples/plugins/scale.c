/* r[i] = x[i] * factor: the plugin of scale.mlir for the CPU. */
#include <tripy/plugin.h>

/* The plugin's parameters, in the order of its declaration. */
struct parameters {
  float factor;
};

TRIPY_PLUGIN_EXPORT int32_t scale(const void *const *operands,
                                  void *const *results, const int64_t *sizes,
                                  const void *parameters) {
  const float *x = operands[0];
  float *r = results[0];
  const struct parameters *given = parameters;
  /* The operand's rows and columns; those of the result follow. */
  int64_t count = sizes[0] * sizes[1];
  for (int64_t i = 0; i < count; ++i)
    r[i] = x[i] * given->factor;
  return 0;
}
