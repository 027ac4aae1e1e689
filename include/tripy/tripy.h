//===- tripy.h - Tripy for C++ programs -------------------------*- C++ -*-===//
//
//   #include <tripy/tripy.h>
//   namespace tp = tripy;
//
//   auto c = tp::arange(5) + 1.5;   // nothing has run yet
//   std::cout << c;                 // compiles, runs, prints
//
// Link with Tripy::Tripy. docs/guide has a tour.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TRIPY_H
#define TRIPY_TRIPY_H

#if __cplusplus < 202002L
#error "tripy.h needs C++20: compile with -std=c++20"
#endif

#include "tripy/Frontend/Cache.h"
#include "tripy/Frontend/Compile.h"
#include "tripy/Frontend/Error.h"
#include "tripy/Frontend/Executable.h"
#include "tripy/Frontend/Functions.h"
#include "tripy/Frontend/Indexing.h"
#include "tripy/Frontend/Module.h"
#include "tripy/Frontend/Modules.h"
#include "tripy/Frontend/Plugin.h"
#include "tripy/Frontend/Shape.h"
#include "tripy/Frontend/Stream.h"
#include "tripy/Frontend/Structure.h"
#include "tripy/Frontend/Tensor.h"
#include "tripy/Frontend/Types.h"

#endif // TRIPY_TRIPY_H
