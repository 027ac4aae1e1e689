//===- ReportTest.cpp - Programs and their reasons as text ----------------===//

#include "tripy/Runtime/Report.h"
#include "RunTestUtil.h"
#include "tripy/Base/SizeExpr.h"

#include <algorithm>
#include <sys/stat.h>

using namespace tripy;
using namespace tripy::runtime;
using namespace tripy::runtests;

namespace {

TEST(Report, Program) {
  EXPECT_EQ(formatProgram(samples::cpuSample()->program),
            "program 'sample' for the CPU\n"
            "  input 'x': float32 (batch=0..4, 3), dimension 0 tuned for 2\n"
            "  input 'y': float32 (batch=0..4, 3), dimension 0 tuned for 2\n"
            "  output 'sum': float32 (batch=0..4, 3)\n"
            "  output 'count': int64 (batch=0..4,)\n"
            "  arena: 512 bytes, constants: 112 bytes\n"
            "  kernels: 2, launches: 3\n"
            "  x86-64 code for sse2, 75 bytes\n");
  std::string cuda = formatProgram(samples::cudaSample()->program);
  EXPECT_NE(cuda.find("  cubin for sm_90a, 64 bytes\n  PTX for sm_80"),
            std::string::npos);
}

TEST(Report, ComputedDimensions) {
  auto sample = samples::cpuSample();
  TableIndex doubled = sample->binary(SizeOp::Add, 0, 0);
  TableIndex dims[] = {doubled, 2};
  EXPECT_EQ(formatDims(sample->program, dims), "(0..8, 3)");
}

TEST(Report, Why) {
  auto sample = samples::cpuSample();
  EXPECT_EQ(formatWhy(sample->program, 0, false),
            "--> model.cpp:11 in trace.add\n"
            "--> model.cpp:5 in trace.add of helper()\n"
            "    note: broadcast the right operand of '+' from (3,) to "
            "(2, 3)\n"
            "    called from: --> model.cpp:20 in run()\n"
            "    called from: --> main.cpp:30 in main()\n");
  EXPECT_EQ(formatWhy(sample->program, noIndex, false), "");
  EXPECT_EQ(formatWhy(sample->program, 17, true), "");
}

/// Recursion of any depth stays readable.
TEST(Report, ManyCalls) {
  auto sample = samples::cpuSample();
  Program &program = sample->program;
  for (TableIndex i = 2; i < 100000; ++i)
    program.frames.push_back({"model.cpp", i, 1, "", i - 1});
  program.whys[1].lines[0].caller = 99999;
  std::string text = formatWhy(program, 1, false);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10);
  EXPECT_NE(text.find("called from: --> model.cpp:99999\n"), std::string::npos);
  EXPECT_NE(text.find("called from further lines\n"), std::string::npos);
}

TEST(Report, OriginsOfSizes) {
  auto sample = samples::cpuSample();
  Program &program = sample->program;
  program.inputs[1].why = 1;
  // An expression of both inputs; the second operand is an input's line.
  SizeCheck check = {
      CheckKind::Equal, sample->binary(SizeOp::Add, 0, 1), 2, "", 0,
      {0, 1, noIndex}};
  std::vector<int64_t> symbols = {4, 2}, sizes(program.exprs.size());
  ASSERT_TRUE(evaluateSizes(program, symbols, sizes).isOk());
  program.inputs[0].why = noIndex;
  EXPECT_EQ(formatOrigins(program, check, sizes, false),
            "    input 'x' of shape (4, 3)\n"
            "    input 'y' of shape (2, 3): --> model.cpp:9 in trace.matmul\n"
            "    operand 0: --> model.cpp:11 in trace.add\n");
  check.a = check.b = 2;
  check.operands.clear();
  EXPECT_EQ(formatOrigins(program, check, sizes, false), "");
}

/// Of many inputs, those that are compared are shown.
TEST(Report, OriginsOfManySizes) {
  auto sample = samples::cpuSample();
  Program &program = sample->program;
  program.inputs.clear();
  program.symbols.clear();
  program.exprs.clear();
  std::vector<TableIndex> dims;
  std::vector<int64_t> symbols(12, 3);
  symbols[10] = 4;
  for (TableIndex i = 0; i < 12; ++i) {
    program.symbols.push_back({i, 0, 1, 2, 8, ""});
    dims.push_back(sample->symbol(i));
    program.inputs.push_back(
        {"in" + std::to_string(i), InputKind::Argument, DType::F32, {dims[i]}});
  }
  // Of in0 + in1 + ... + in9, which is added to in10.
  TableIndex common = dims[0];
  for (TableIndex i = 1; i < 10; ++i)
    common = sample->binary(SizeOp::Max, common, dims[i]);
  std::vector<int64_t> sizes(program.exprs.size());
  ASSERT_TRUE(evaluateSizes(program, symbols, sizes).isOk());
  std::string expected = "    input 'in10' of shape (4,)\n";
  for (int i = 9; i > 2; --i)
    expected += "    input 'in" + std::to_string(i) + "' of shape (3,)\n";
  expected += "    and 3 more inputs\n";
  SizeCheck check = {CheckKind::Broadcastable, common, dims[10], "", 0, {}};
  EXPECT_EQ(formatOrigins(program, check, sizes, false), expected);
  std::swap(check.a, check.b);
  EXPECT_EQ(formatOrigins(program, check, sizes, false), expected);
}

/// Sources that are missing, too short, or no file at all are left out.
TEST(Report, UnreadableSources) {
  Folder folder;
  ASSERT_TRUE(writeFile(folder.path("short"), {}).isOk());
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  auto sample = samples::cpuSample();
  for (const std::string &file :
       {folder.path("none"), folder.path("short"), folder.path("pipe"),
        folder.path(""), std::string("/dev/zero"), std::string()}) {
    sample->program.whys[1].lines[0] = {file, 3, 1, "op", ""};
    EXPECT_EQ(formatWhy(sample->program, 1, true),
              "--> " + file + ":3 in op\n");
  }
}

TEST(Report, HostileSourceLines) {
  Folder folder;
  std::string text = "\tab\x1b[2J\r\n" + std::string(10000, 'x');
  ASSERT_TRUE(
      writeFile(folder.path("f"),
                {reinterpret_cast<const uint8_t *>(text.data()), text.size()})
          .isOk());
  auto sample = samples::cpuSample();
  sample->program.whys[1].lines[0] = {folder.path("f"), 1, 2, "op", ""};
  EXPECT_EQ(formatWhy(sample->program, 1, true),
            "--> " + folder.path("f") +
                ":1 in op\n      |\n    1 |  ab?[2J\n      |  ^\n");
  sample->program.whys[1].lines[0] = {folder.path("f"), 2, 0xffffffff, "", ""};
  std::string cut = formatWhy(sample->program, 1, true);
  EXPECT_LT(cut.size(), 600u);
  EXPECT_EQ(cut.find('^'), std::string::npos);
}

} // namespace
