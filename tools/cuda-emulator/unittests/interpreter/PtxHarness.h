//===- PtxHarness.h - Runs small PTX texts ----------------------*- C++ -*-===//
//
// A kernel "k" with parameters (.u64 out, .u64 in) around a body. Bodies that
// run are valid PTX for sm_90a; f32x2, mixed f32 and extrema of three f32, for
// sm_100.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_EMULATOR_PTXHARNESS_H
#define TRIPY_UNITTESTS_EMULATOR_PTXHARNESS_H

#include "../../interpreter/Emulator.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tripy::emulator::test {

inline const char *registerDeclarations = R"(
  .reg .pred %p<8>;
  .reg .b16 %h<16>;
  .reg .b32 %r<32>;
  .reg .b32 %f<16>;
  .reg .b64 %rd<16>;
)";

/// The whole module. %rd1 is out + 4 * %tid.x, %rd2 is in, %r1 is %tid.x.
inline std::string moduleOf(std::string_view body, std::string_view globals,
                            std::string_view directives = "") {
  return std::string(".version 8.4\n.target sm_90a\n.address_size 64\n") +
         std::string(globals) +
         "\n.visible .entry k(.param .u64 k_0, .param .u64 k_1)\n" +
         std::string(directives) + "\n{" + registerDeclarations + R"(
  ld.param.b64 %rd3, [k_0];
  ld.param.b64 %rd2, [k_1];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd1, %rd3, %rd4;
)" + std::string(body) +
         "\n  ret;\n}\n";
}

struct Outcome {
  Status status;
  std::vector<uint32_t> out;
  LaunchStatistics statistics;
};

/// `words`: 32-bit words of the output, poison before.
inline Outcome runModule(const std::string &ptx, const LaunchShape &shape,
                         std::vector<uint32_t> in = {0}, size_t words = 1024,
                         const LaunchOptions &options = {}) {
  Outcome run;
  Memory memory;
  Result<std::unique_ptr<Module>> module = Module::parse(ptx, memory);
  if (!module) {
    run.status = module.status();
    return run;
  }
  Result<uint64_t> output = memory.allocate(4 * words, "output");
  Result<uint64_t> input = memory.allocate(4 * in.size(), "input");
  std::memcpy(reinterpret_cast<void *>(*input), in.data(), 4 * in.size());
  uint64_t parameters[2] = {*output, *input};
  run.status = launch(*(*module)->find("k"), shape,
                      {reinterpret_cast<uint8_t *>(parameters), 16}, memory,
                      options, &run.statistics);
  run.out.resize(words);
  std::memcpy(run.out.data(), reinterpret_cast<void *>(*output), 4 * words);
  return run;
}

inline Outcome runBody(std::string_view body, uint32_t threads = 1,
                       std::vector<uint32_t> in = {0},
                       std::string_view globals = "") {
  LaunchShape shape;
  shape.block[0] = threads;
  return runModule(moduleOf(body, globals), shape, std::move(in));
}

inline void expectError(const Outcome &run, std::string_view part) {
  EXPECT_NE(run.status.message().find(part), std::string::npos)
      << "'" << run.status.message() << "' lacks '" << part << "'";
  EXPECT_FALSE(run.status.isOk());
}

} // namespace tripy::emulator::test

#endif // TRIPY_UNITTESTS_EMULATOR_PTXHARNESS_H
