/*===- runtime.h - The runtime's C interface ----------------------*- C -*-===*\
|*
|* Loads and runs executables (.tpx). C99; the interface is stable: within a
|* major version, numbers, structs and functions are added, but never changed.
|* Needs no other header of Tripy.
|*
|* Rules that hold for every function:
|*  - It returns a tripy_code. After a failure, tripy_last_error() returns one
|*    sentence for the calling thread; output arguments are unchanged.
|*  - It throws no exceptions, and never ends the process.
|*  - Names are UTF-8, terminated by a zero byte. Returned strings live as long
|*    as the object they come from.
|*  - A null pointer where one is not allowed gives TRIPY_INVALID_ARGUMENT.
|*
|* Child processes: after fork(), the child can use and free CPU objects unless
|* another thread was using them in a call. CUDA objects can only be freed; any
|* other call gives TRIPY_CONTEXT_LOST.
|*
|* Threads: an executable may be used by any number of threads once its
|* parameters are bound; a context by one thread at a time.
|*
\*===----------------------------------------------------------------------===*/
#ifndef TRIPY_RUNTIME_H
#define TRIPY_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface; tripy_version() is that of the linked library. */
enum { TRIPY_VERSION_MAJOR = 0, TRIPY_VERSION_MINOR = 1 };
void tripy_version(int32_t *major, int32_t *minor);

/* Error codes; docs/runtime.md has a remedy for each. */
typedef int32_t tripy_code;
enum {
  TRIPY_OK = 0,
  TRIPY_INVALID_ARGUMENT = 1,
  TRIPY_SHAPE_OUT_OF_RANGE = 2,
  TRIPY_DTYPE_MISMATCH = 3,
  TRIPY_DEVICE_MISMATCH = 4,
  TRIPY_NOT_FOUND = 5,
  TRIPY_IO = 6,
  TRIPY_TRUNCATED = 7,
  TRIPY_BAD_MAGIC = 8,
  TRIPY_UNSUPPORTED_VERSION = 9,
  TRIPY_CHECKSUM_MISMATCH = 10,
  TRIPY_SIGNATURE_INVALID = 11,
  TRIPY_MALFORMED = 12,
  TRIPY_LIMIT_EXCEEDED = 13,
  TRIPY_ARCH_MISMATCH = 14,
  TRIPY_DRIVER_MISSING = 15,
  TRIPY_DRIVER_TOO_OLD = 16,
  TRIPY_HOST_OUT_OF_MEMORY = 17,
  TRIPY_DEVICE_OUT_OF_MEMORY = 18,
  TRIPY_LAUNCH_FAILED = 19,
  TRIPY_CONTEXT_LOST = 20,
  TRIPY_CANCELLED = 21,
  TRIPY_UNSUPPORTED = 22,
  TRIPY_INTERNAL = 23
};

/* "ShapeOutOfRange"; "unknown code" for other numbers. Static. */
const char *tripy_code_name(tripy_code code);

/* The message of this thread's last failure, "" before the first. Valid until
   the thread's next call into this library. */
const char *tripy_last_error(void);

/* Element types. */
typedef uint8_t tripy_dtype;
enum {
  TRIPY_F32 = 1,
  TRIPY_F16 = 2,
  TRIPY_BF16 = 3,
  TRIPY_I32 = 4,
  TRIPY_I64 = 5,
  TRIPY_BOOL = 6, /* one byte, 0 or 1 */
  TRIPY_I8 = 7,
  TRIPY_U8 = 8,
  TRIPY_I16 = 9,
  TRIPY_F64 = 10,
  TRIPY_F8E4M3FN = 11,
  TRIPY_F8E5M2 = 12,
  /* -8 to 7, two to a byte in row-major order: element 2j in the low half of
     byte j, element 2j + 1 in the high half. After an odd number of elements,
     the last half byte is written as 0 and ignored when read.
   */
  TRIPY_I4 = 13
};

/* Bytes of an element; 0 for TRIPY_I4, whose elements share bytes, and for
   numbers that are not an element type. */
size_t tripy_dtype_size(tripy_dtype dtype);

typedef int32_t tripy_device_kind;
enum {
  TRIPY_DEVICE_DEFAULT = 0, /* in load options: the program's own kind */
  TRIPY_CPU = 1,
  TRIPY_CUDA = 2
};

enum { TRIPY_MAX_RANK = 8 };

/* Bytes of a dense tensor of `rank` sizes: the number of elements times
   tripy_dtype_size(); for TRIPY_I4, half the number of elements, rounded up.
   SIZE_MAX for an invalid element type, a negative size, or an overflow. */
size_t tripy_tensor_bytes(tripy_dtype dtype, int32_t rank,
                          const int64_t *sizes);

/* A dense row-major tensor in the caller's memory. */
typedef struct tripy_tensor {
  void *data;               /* may be null when there are no elements */
  tripy_device_kind device; /* TRIPY_CPU or TRIPY_CUDA: where data is */
  int32_t device_id;        /* number of the GPU; 0 on the CPU */
  tripy_dtype dtype;
  uint8_t reserved[3];  /* zero, else TRIPY_INVALID_ARGUMENT */
  int32_t ndim;         /* 0 to TRIPY_MAX_RANK */
  const int64_t *shape; /* ndim sizes; may be null when ndim is 0 */
} tripy_tensor;

typedef struct tripy_executable tripy_executable;
typedef struct tripy_context tripy_context;

/* How to load. Start from tripy_load_options_default(). */
typedef struct tripy_load_options {
  size_t struct_size; /* sizeof(tripy_load_options) */
  tripy_device_kind device;
  int32_t device_id;
  /* A program for the CPU is machine code: nonzero means that the file is
     trusted and may be executed; tripy-run sets it unless --no-host-code is
     given. */
  int32_t trust_host_code;
  uint32_t threads;     /* of the CPU; 0: one for each processor */
  uint64_t arena_limit; /* bytes; 0: the machine's memory */
  /* Nonzero: read the file instead of mapping it. If a mapped file is
     truncated, accessing the missing part ends the process with SIGBUS. */
  int32_t copy_file;
  int32_t inspect_only; /* nonzero: describe, touch no device */
  int32_t show_source;  /* nonzero: messages quote the user's files */
  int32_t reserved;     /* zero, else TRIPY_INVALID_ARGUMENT */
} tripy_load_options;
tripy_load_options tripy_load_options_default(void);

/* Loads a shared library whose functions programs for the CPU may call; they
   identify it by the last component of its path: see tripy/plugin.h. Programs
   never load a library themselves. Runs the library's initializers; the library
   stays loaded. Call it before the programs are loaded; calling it twice for
   one file has no effect. */
tripy_code tripy_plugin_library_load(const char *path);

/* Loads and verifies an executable, and prepares it for its device. `options`
   may be null. On success, free *result with tripy_executable_free(), after its
   contexts or before. */
tripy_code tripy_executable_load(const char *path,
                                 const tripy_load_options *options,
                                 tripy_executable **result);
/* The same for a file in memory, which is copied. */
tripy_code tripy_executable_load_memory(const void *data, size_t size,
                                        const tripy_load_options *options,
                                        tripy_executable **result);
void tripy_executable_free(tripy_executable *executable);

/* A dimension of an input or output: min <= size <= max. The program is
   optimized for opt; outputs have opt == -1 if it is not known. */
typedef struct tripy_dim {
  int64_t min, opt, max;
  const char *name; /* "" for a dimension without name */
} tripy_dim;

/* One input or output. */
typedef struct tripy_tensor_info {
  const char *name;
  tripy_dtype dtype;
  uint8_t is_parameter; /* bound once; not among a run's inputs */
  /* A number that the program uses as a size: the input is one i64 in host
     memory with ndim 0, read before the call returns. dims[0] is the range of
     its value. */
  uint8_t is_size;
  uint8_t reserved;
  int32_t ndim;
  tripy_dim dims[TRIPY_MAX_RANK];
} tripy_tensor_info;

/* Inputs include parameters, in the program's order. */
tripy_code tripy_executable_input_count(const tripy_executable *executable,
                                        size_t *count);
tripy_code tripy_executable_input(const tripy_executable *executable,
                                  size_t index, tripy_tensor_info *info);
tripy_code tripy_executable_output_count(const tripy_executable *executable,
                                         size_t *count);
tripy_code tripy_executable_output(const tripy_executable *executable,
                                   size_t index, tripy_tensor_info *info);
/* The kind of device on which it runs: TRIPY_CPU or TRIPY_CUDA. */
tripy_code tripy_executable_device(const tripy_executable *executable,
                                   tripy_device_kind *device);

/* Launches, and why each exists: the user's lines with operations and reasons
   as text. The text is valid until the thread's next call of this function. */
tripy_code tripy_executable_launch_count(const tripy_executable *executable,
                                         size_t *count);
tripy_code tripy_executable_launch_why(const tripy_executable *executable,
                                       size_t launch, const char **kernel,
                                       const char **why);

/* Whether a library computes a launch instead of the program's kernel: then
   *is_library is 1 and the text "cuBLASLt 13.1.0"; if a library could but does
   not, 0 and "own kernel: " with the reason. "" for other launches. The text is
   valid until the thread's next call of this function. */
tripy_code tripy_executable_launch_backend(const tripy_executable *executable,
                                           size_t launch, int32_t *is_library,
                                           const char **text);

/* Copies the values of parameters to the device: all of them from a safetensors
   file, or one by name from host memory. Call it before the first context is
   created. */
tripy_code tripy_executable_bind_parameters(tripy_executable *executable,
                                            const char *safetensors_path);
tripy_code tripy_executable_bind_parameter(tripy_executable *executable,
                                           const char *name,
                                           const tripy_tensor *value);

/* The state of an execution, for one thread at a time; keeps the executable
   alive. */
tripy_code tripy_context_create(tripy_executable *executable,
                                tripy_context **result);
void tripy_context_free(tripy_context *context);

/* Computes the shapes of all outputs for inputs of these shapes (data is only
   read for inputs that are sizes): the sizes of output i are written to
   shapes[i][0 .. ndim of the output). */
tripy_code tripy_context_output_shapes(tripy_context *context,
                                       const tripy_tensor *inputs,
                                       size_t input_count,
                                       int64_t (*shapes)[TRIPY_MAX_RANK],
                                       size_t output_count);

/* Runs the program. `inputs` are the inputs except parameters, in order;
   `outputs` are all outputs, of exactly the shapes above, which overlap neither
   inputs nor each other. `stream` is a CUstream; null synchronizes with CUDA's
   legacy default stream, whose handle is null. Returns when the outputs are
   ready. */
tripy_code tripy_context_run(tripy_context *context, const tripy_tensor *inputs,
                             size_t input_count, const tripy_tensor *outputs,
                             size_t output_count, void *stream);

/* Like tripy_context_run, but returns when the work is enqueued on `stream`.
   The caller must synchronize before it accesses the tensors or uses the
   context again, except to enqueue more work on the same stream with tensors on
   the device. */
tripy_code tripy_context_enqueue(tripy_context *context,
                                 const tripy_tensor *inputs, size_t input_count,
                                 const tripy_tensor *outputs,
                                 size_t output_count, void *stream);

#ifdef __cplusplus
}
#endif

#endif /* TRIPY_RUNTIME_H */
