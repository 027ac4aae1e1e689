/*===- CApiTest.c - The C interface, used from C99
----------------------------===*\
|*
|* Compiled as C99; CApiTest.cpp calls it. Each function returns 0 or the line
|* of the expectation that failed.
|*
\*===--------------------------------------------------------------------------===*/

#include "tripy/runtime.h"

#include <string.h>

#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition))                                                          \
      return __LINE__;                                                         \
  } while (0)

static tripy_tensor tensor(void *data, tripy_dtype dtype, int32_t ndim,
                           const int64_t *shape) {
  tripy_tensor result;
  memset(&result, 0, sizeof(result));
  result.data = data;
  result.device = TRIPY_CPU;
  result.dtype = dtype;
  result.ndim = ndim;
  result.shape = shape;
  return result;
}

int tripy_c_test_run(const char *path) {
  tripy_load_options options = tripy_load_options_default();
  tripy_executable *executable = NULL;
  tripy_context *context = NULL;
  tripy_tensor_info info;
  tripy_device_kind device = 0;
  tripy_tensor inputs[2], outputs[2];
  size_t count = 0;
  float x[6] = {0, 1, 2, 3, 4, 5}, y[6] = {0, 10, 20, 30, 40, 50}, sum[6];
  int64_t counted[2], shape[2] = {2, 3}, shapes[2][TRIPY_MAX_RANK];
  const char *kernel = NULL, *why = NULL;
  int32_t isLibrary = 1;
  int i;

  EXPECT(tripy_executable_load(path, NULL, &executable) == TRIPY_UNSUPPORTED);
  EXPECT(executable == NULL);
  options.trust_host_code = 1;
  EXPECT(tripy_executable_load(path, &options, &executable) == TRIPY_OK);

  EXPECT(tripy_executable_device(executable, &device) == TRIPY_OK);
  EXPECT(device == TRIPY_CPU);
  EXPECT(tripy_executable_input_count(executable, &count) == TRIPY_OK);
  EXPECT(count == 2);
  EXPECT(tripy_executable_input(executable, 1, &info) == TRIPY_OK);
  EXPECT(strcmp(info.name, "y") == 0 && info.dtype == TRIPY_F32);
  EXPECT(info.ndim == 2 && info.is_parameter == 0);
  EXPECT(info.dims[0].min == 0 && info.dims[0].opt == 2 &&
         info.dims[0].max == 4 && strcmp(info.dims[0].name, "batch") == 0);
  EXPECT(info.dims[1].min == 3 && info.dims[1].opt == 3 &&
         info.dims[1].max == 3 && strcmp(info.dims[1].name, "") == 0);
  EXPECT(tripy_executable_input(executable, 2, &info) ==
         TRIPY_INVALID_ARGUMENT);
  EXPECT(tripy_executable_output_count(executable, &count) == TRIPY_OK);
  EXPECT(count == 2);
  EXPECT(tripy_executable_output(executable, 1, &info) == TRIPY_OK);
  EXPECT(strcmp(info.name, "count") == 0 && info.dtype == TRIPY_I64);
  EXPECT(tripy_executable_launch_count(executable, &count) == TRIPY_OK);
  EXPECT(count == 3);
  EXPECT(tripy_executable_launch_why(executable, 2, &kernel, &why) == TRIPY_OK);
  EXPECT(strcmp(kernel, "count_i64") == 0);
  EXPECT(strcmp(why, "--> model.cpp:9 in trace.matmul\n") == 0);
  EXPECT(tripy_executable_launch_backend(executable, 2, &isLibrary, &why) ==
         TRIPY_OK);
  EXPECT(isLibrary == 0 && strcmp(why, "") == 0);
  EXPECT(tripy_executable_launch_backend(executable, 3, &isLibrary, &why) ==
         TRIPY_INVALID_ARGUMENT);

  EXPECT(tripy_context_create(executable, &context) == TRIPY_OK);
  /* The context keeps what it needs. */
  tripy_executable_free(executable);
  inputs[0] = tensor(x, TRIPY_F32, 2, shape);
  inputs[1] = tensor(y, TRIPY_F32, 2, shape);
  EXPECT(tripy_context_output_shapes(context, inputs, 2, shapes, 2) ==
         TRIPY_OK);
  EXPECT(shapes[0][0] == 2 && shapes[0][1] == 3 && shapes[1][0] == 2);
  outputs[0] = tensor(sum, TRIPY_F32, 2, shapes[0]);
  outputs[1] = tensor(counted, TRIPY_I64, 1, shapes[1]);
  EXPECT(tripy_context_run(context, inputs, 2, outputs, 2, NULL) == TRIPY_OK);
  for (i = 0; i < 6; ++i)
    EXPECT(sum[i] == (float)(111 - 11 + 12 * i));
  EXPECT(counted[0] == 10 && counted[1] == 11);
  EXPECT(tripy_context_enqueue(context, inputs, 2, outputs, 2, NULL) ==
         TRIPY_OK);

  shape[0] = 5;
  EXPECT(tripy_context_run(context, inputs, 2, outputs, 2, NULL) ==
         TRIPY_SHAPE_OUT_OF_RANGE);
  EXPECT(strstr(tripy_last_error(), "input 'x' dimension 0 ('batch') must be "
                                    "0 to 4, but is 5") != NULL);
  tripy_context_free(context);
  return 0;
}

int tripy_c_test_errors(void) {
  tripy_executable *executable = NULL;
  tripy_context *context = NULL;
  tripy_load_options options = tripy_load_options_default();
  size_t count = 0;
  int32_t major = -1, minor = -1;

  tripy_version(&major, &minor);
  EXPECT(major == TRIPY_VERSION_MAJOR && minor == TRIPY_VERSION_MINOR);
  tripy_version(NULL, NULL);
  EXPECT(strcmp(tripy_code_name(TRIPY_BAD_MAGIC), "BadMagic") == 0);
  EXPECT(strcmp(tripy_code_name(99), "unknown code") == 0);
  EXPECT(tripy_dtype_size(TRIPY_F64) == 8 && tripy_dtype_size(200) == 0);

  EXPECT(tripy_plugin_library_load(NULL) == TRIPY_INVALID_ARGUMENT);
  EXPECT(tripy_plugin_library_load("") == TRIPY_INVALID_ARGUMENT);
  EXPECT(tripy_plugin_library_load("/none/libx.so") == TRIPY_NOT_FOUND);
  EXPECT(strstr(tripy_last_error(), "/none/libx.so") != NULL);
  /* A name is never searched for. */
  EXPECT(tripy_plugin_library_load("libc.so.6") == TRIPY_NOT_FOUND);
  EXPECT(tripy_executable_load(NULL, NULL, &executable) ==
         TRIPY_INVALID_ARGUMENT);
  EXPECT(strcmp(tripy_last_error(), "argument 'path' may not be null") == 0);
  EXPECT(tripy_executable_load("x", NULL, NULL) == TRIPY_INVALID_ARGUMENT);
  EXPECT(tripy_executable_load("/no/such/file", NULL, &executable) ==
         TRIPY_NOT_FOUND);
  EXPECT(tripy_executable_load_memory("hello", 5, NULL, &executable) ==
         TRIPY_BAD_MAGIC);
  EXPECT(tripy_executable_load_memory(NULL, 5, NULL, &executable) ==
         TRIPY_INVALID_ARGUMENT);
  options.struct_size = 3;
  EXPECT(tripy_executable_load_memory("hello", 5, &options, &executable) ==
         TRIPY_INVALID_ARGUMENT);
  options = tripy_load_options_default();
  options.device = 9;
  EXPECT(tripy_executable_load_memory("hello", 5, &options, &executable) ==
         TRIPY_INVALID_ARGUMENT);
  EXPECT(tripy_executable_input_count(NULL, &count) == TRIPY_INVALID_ARGUMENT);
  EXPECT(tripy_context_create(NULL, &context) == TRIPY_INVALID_ARGUMENT);
  EXPECT(tripy_context_run(NULL, NULL, 0, NULL, 0, NULL) ==
         TRIPY_INVALID_ARGUMENT);
  EXPECT(tripy_executable_bind_parameters(NULL, "x") == TRIPY_INVALID_ARGUMENT);
  tripy_executable_free(NULL);
  tripy_context_free(NULL);
  EXPECT(executable == NULL && context == NULL);
  return 0;
}

int tripy_c_test_bad_tensors(const void *bytes, size_t size) {
  tripy_executable *executable = NULL;
  tripy_context *context = NULL;
  tripy_load_options options = tripy_load_options_default();
  int64_t shape[9] = {2, 3, 1, 1, 1, 1, 1, 1, 1};
  int64_t shapes[2][TRIPY_MAX_RANK];
  float data[6] = {0};
  tripy_tensor inputs[2];
  int i;

  options.trust_host_code = 1;
  options.reserved = 1;
  EXPECT(tripy_executable_load_memory(bytes, size, &options, &executable) ==
         TRIPY_INVALID_ARGUMENT);
  EXPECT(strcmp(tripy_last_error(),
                "the reserved fields of load options must be zero") == 0);
  options.reserved = 0;
  EXPECT(tripy_executable_load_memory(bytes, size, &options, &executable) ==
         TRIPY_OK);
  EXPECT(tripy_context_create(executable, &context) == TRIPY_OK);
  inputs[0] = inputs[1] = tensor(data, TRIPY_F32, 2, shape);
  EXPECT(tripy_context_output_shapes(context, inputs, 2, shapes, 2) ==
         TRIPY_OK);
  EXPECT(tripy_context_output_shapes(context, inputs, 1, shapes, 2) ==
         TRIPY_INVALID_ARGUMENT);
  EXPECT(tripy_context_output_shapes(context, inputs, 2, shapes, 1) ==
         TRIPY_INVALID_ARGUMENT);
  EXPECT(tripy_context_output_shapes(context, NULL, 2, shapes, 2) ==
         TRIPY_INVALID_ARGUMENT);
  inputs[0].ndim = 9;
  EXPECT(tripy_context_output_shapes(context, inputs, 2, shapes, 2) ==
         TRIPY_INVALID_ARGUMENT);
  inputs[0].ndim = -1;
  EXPECT(tripy_context_output_shapes(context, inputs, 2, shapes, 2) ==
         TRIPY_INVALID_ARGUMENT);
  inputs[0].ndim = 2;
  inputs[0].shape = NULL;
  EXPECT(tripy_context_output_shapes(context, inputs, 2, shapes, 2) ==
         TRIPY_INVALID_ARGUMENT);
  inputs[0].shape = shape;
  inputs[0].device = 7;
  EXPECT(tripy_context_output_shapes(context, inputs, 2, shapes, 2) ==
         TRIPY_INVALID_ARGUMENT);
  inputs[0].device = TRIPY_CPU;
  inputs[0].dtype = 0;
  EXPECT(tripy_context_output_shapes(context, inputs, 2, shapes, 2) ==
         TRIPY_DTYPE_MISMATCH);
  inputs[0].dtype = TRIPY_F32;
  for (i = 0; i < 3; ++i) {
    inputs[1].reserved[i] = 1;
    EXPECT(tripy_context_output_shapes(context, inputs, 2, shapes, 2) ==
           TRIPY_INVALID_ARGUMENT);
    EXPECT(strcmp(tripy_last_error(),
                  "the reserved fields of a tensor must be zero") == 0);
    inputs[1].reserved[i] = 0;
  }
  EXPECT(tripy_context_output_shapes(context, inputs, 2, shapes, 2) ==
         TRIPY_OK);
  tripy_context_free(context);
  tripy_executable_free(executable);
  return 0;
}
