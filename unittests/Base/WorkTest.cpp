//===- WorkTest.cpp - What launches have to do ----------------------------===//

#include "tripy/Base/Work.h"
#include "SampleProgram.h"
#include "tripy/Base/SizeExpr.h"

#include <gtest/gtest.h>

using namespace tripy;
using namespace tripy::samples;

namespace {

/// Values of all expressions where every symbol is `size`.
std::vector<int64_t> valuesAt(const Program &program, int64_t size) {
  std::vector<int64_t> symbols(program.symbols.size(), size);
  std::vector<int64_t> values(program.exprs.size());
  EXPECT_TRUE(evaluateSizes(program, symbols, values).isOk());
  return values;
}

TEST(Work, BytesAreThoseOfTheAccesses) {
  auto sample = cpuSample();
  const Program &program = sample->program;
  Work work = workOf(program, program.launches[0], valuesAt(program, 2));
  EXPECT_EQ(work.read, 2 * 24);
  EXPECT_EQ(work.written, 24);
  EXPECT_EQ(work.allOperations(), 0);
  EXPECT_EQ(workOf(program, program.launches[0], valuesAt(program, 0)).bytes(),
            0);
}

TEST(Work, TermsLimitWhatIsTouched) {
  auto sample = cpuSample();
  Program &program = sample->program;
  std::vector<int64_t> values = valuesAt(program, 2);
  Launch &launch = program.launches[1];
  TableIndex one = launch.grid[1];
  launch.work = {{WorkKind::Touched, DType::F32, 1, 3, {one}},
                 {WorkKind::Touched, DType::F32, 1, 4, {}},
                 {WorkKind::Touched, DType::F32, 0, 1000, {}},
                 {WorkKind::Touched, DType::F32, 2, 0, {}}};
  Work work = workOf(program, launch, values);
  // Terms of one access add up, and none is more than the access.
  EXPECT_EQ(work.read, 24 + 7);
  EXPECT_EQ(work.written, 0);
}

TEST(Work, OperationsByKind) {
  auto sample = productSample();
  Program &program = sample->program;
  Launch &launch = program.launches[0];
  launch.work.push_back({WorkKind::Products, DType::F16, 0, 5, {}});
  launch.work.push_back({WorkKind::Products, DType::F16, 0, 6, {}});
  Work work = workOf(program, launch, valuesAt(program, 0));
  auto count = [&](WorkKind kind, DType dtype) {
    return work.operations[{kind, dtype}];
  };
  EXPECT_EQ(count(WorkKind::ProductsTF32, DType::F32), 2 * 2 * 3 * 7 * 5);
  EXPECT_EQ(count(WorkKind::Products, DType::F16), 11);
  EXPECT_EQ(work.allOperations(), 431);
  work += work;
  EXPECT_EQ(work.allOperations(), 862);
}

/// The buffer of a tensor map counts once, whatever else leads to it.
TEST(Work, TensorMaps) {
  auto sample = cudaSample();
  Program &program = sample->program;
  std::vector<int64_t> values = valuesAt(program, 0);
  Launch &launch = program.launches[0];
  EXPECT_EQ(workOf(program, launch, values).read, 256);
  launch.args.push_back({ArgKind::TensorMap, 0});
  launch.accesses.push_back(launch.accesses[0]);
  EXPECT_EQ(workOf(program, launch, values).read, 256);
  launch.args.push_back({ArgKind::Buffer, 0});
  launch.accesses.push_back(launch.accesses[0]);
  EXPECT_EQ(workOf(program, launch, values).read, 256);
}

/// No product of sizes overflows.
TEST(Work, LargeNumbers) {
  auto sample = cpuSample();
  Program &program = sample->program;
  TableIndex large = sample->constant(int64_t(1) << 62);
  program.launches[0].work = {
      {WorkKind::Arithmetic, DType::F32, 0, uint64_t(1) << 63, {large, large}}};
  Work work = workOf(program, program.launches[0], valuesAt(program, 1));
  EXPECT_DOUBLE_EQ(work.allOperations(), 0x1p187);
}

} // namespace
