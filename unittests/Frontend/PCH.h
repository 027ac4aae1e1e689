// Headers of all tests of the frontend; precompiled once.
#include "tripy/tripy.h"

#include "gtest/gtest.h"
