//===- VerifyCases.h - Programs that break one rule -------------*- C++ -*-===//
//
// For the unit tests of the verifier.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_BASE_VERIFYCASES_H
#define TRIPY_UNITTESTS_BASE_VERIFYCASES_H

#include "SampleProgram.h"
#include "tripy/Base/Verify.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace tripy::samples {

/// A change that breaks one rule, and part of the message that must follow.
struct VerifyCase {
  const char *name;
  void (*change)(Sample &sample);
  const char *message;
  Code code = Code::Malformed;
};

inline void expectRefused(Sample &sample, const VerifyCase &test) {
  ASSERT_TRUE(verifyProgram(sample.program).isOk());
  test.change(sample);
  Status status = verifyProgram(sample.program);
  EXPECT_EQ(status.code(), test.code) << status.message();
  EXPECT_NE(status.message().find(test.message), std::string::npos)
      << "found: " << status.message() << "\nwanted: " << test.message;
}

inline std::string
verifyCaseName(const testing::TestParamInfo<VerifyCase> &info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

class VerifyCpu : public testing::TestWithParam<VerifyCase> {};
class VerifyCuda : public testing::TestWithParam<VerifyCase> {};

} // namespace tripy::samples

#endif // TRIPY_UNITTESTS_BASE_VERIFYCASES_H
