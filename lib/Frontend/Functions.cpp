//===- Functions.cpp - Functions that tripy-tblgen makes ------------------===//

#include "tripy/Frontend/Functions.h"

#include "Call.h"

namespace tripy {
#include "tripy/Frontend/Functions.cpp.inc"
} // namespace tripy
