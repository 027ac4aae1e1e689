//===- ThrownErrors.h - What calls of the frontend throw --------*- C++ -*-===//
#ifndef TRIPY_UNITTESTS_FRONTEND_THROWNERRORS_H
#define TRIPY_UNITTESTS_FRONTEND_THROWNERRORS_H

#include "tripy/tripy.h"

#include "gtest/gtest.h"

/// What `call` throws.
template <typename F> static tripy::Error errorOf(F call) {
  try {
    call();
  } catch (const tripy::Error &error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return tripy::Error(tripy::Code::Internal, "nothing was thrown");
}

#endif // TRIPY_UNITTESTS_FRONTEND_THROWNERRORS_H
