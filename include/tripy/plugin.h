/*===- plugin.h - Plugins for the CPU as functions in C -----------*- C -*-===*\
|*                                                                            *|
|* What a shared library exports for a plugin's source of kind c: see         *|
|* docs/plugins.md. C99, and C++; nothing to link.                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef TRIPY_PLUGIN_H
#define TRIPY_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
#define TRIPY_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define TRIPY_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

/* The kernel of a plugin: computes the results of one call.

   operands    the operands' elements, in the order of the declaration: dense
               and row-major; null where there are none
   results     where the elements of the results go, every one of them; they
               overlap neither operands nor each other
   sizes       all sizes of all operands, in order, and then of all results
   parameters  a struct whose members are the plugin's parameters, in the order
               of the declaration: int32_t, int64_t, float or double

   Returns 0, or another number where it fails: the program's run ends with
   TRIPY_LAUNCH_FAILED, whose message has the number. It is called from the
   thread that runs the program, and from several threads at once where they run
   programs. It keeps no pointer, throws nothing and depends on nothing but its
   arguments. */
typedef int32_t (*tripy_plugin_function)(const void *const *operands,
                                         void *const *results,
                                         const int64_t *sizes,
                                         const void *parameters);

#endif /* TRIPY_PLUGIN_H */
