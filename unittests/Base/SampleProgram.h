//===- SampleProgram.h - Small programs for tests ---------------*- C++ -*-===//
//
// A program for the CPU that can run, with everything a program may have, and
// one for CUDA with tensor maps, clusters and two images. For unit tests.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_BASE_SAMPLEPROGRAM_H
#define TRIPY_UNITTESTS_BASE_SAMPLEPROGRAM_H

#include "tripy/Base/Program.h"

#include <memory>
#include <vector>

namespace tripy::samples {

/// A program and the bytes that it refers to.
struct Sample {
  Program program;
  std::vector<uint8_t> image, constants;

  TableIndex constant(int64_t value) {
    program.exprs.push_back({SizeOp::Constant, 0, 0, value});
    return TableIndex(program.exprs.size() - 1);
  }
  TableIndex symbol(TableIndex number) {
    program.exprs.push_back({SizeOp::Symbol, number, 0, 0});
    return TableIndex(program.exprs.size() - 1);
  }
  TableIndex binary(SizeOp op, TableIndex a, TableIndex b) {
    program.exprs.push_back({op, a, b, 0});
    return TableIndex(program.exprs.size() - 1);
  }
};

/// For inputs x and y of f32 (batch=0..4, 3):
///   sum   f32 (batch, 3) = x + y + c, c[i][j] = 100 + 3 i + j
///   count i64 (batch,)   = 10, 11, ...
/// The x86-64 code needs no features. x + y goes through the arena, count
/// through scratch memory.
std::unique_ptr<Sample> cpuSample();

/// The CPU sample with y as a parameter of shape (4, 3).
std::unique_ptr<Sample> parameterSample();

/// Adds an input n that is a size: 1 to 8, tuned for 4.
void addSizeInput(Sample &sample);

/// The CPU sample with an input n, a size, to which the batch must be equal.
std::unique_ptr<Sample> sizeSample();

/// Input a and output b of f16 (16, 8); never run in tests without a GPU.
std::unique_ptr<Sample> cudaSample();

/// y = x w + c for f32 x (2, 3, 5), w (2, 7, 5), which is transposed, a
/// constant c (7) and y (2, 3, 7): a product that a library may compute.
std::unique_ptr<Sample> productSample();

/// y = x for f32 x (batch=0..4): a plugin's kernel, which the CPU finds in a
/// library, and a GPU in PTX. Its arguments are of all kinds that plugins have.
std::unique_ptr<Sample> hostPluginSample();
std::unique_ptr<Sample> cudaPluginSample();

/// The container of a sample.
std::vector<uint8_t> container(const Sample &sample);

/// Gives sections and header of a container the hashes that match their bytes,
/// as far as the section table makes sense, so that a changed file reaches the
/// checks behind the hashes.
void repairHashes(std::vector<uint8_t> &bytes);

} // namespace tripy::samples

#endif // TRIPY_UNITTESTS_BASE_SAMPLEPROGRAM_H
