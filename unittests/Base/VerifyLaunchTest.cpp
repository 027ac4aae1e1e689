//===- VerifyLaunchTest.cpp - Rules of memory, kernels and launches -------===//

#include "VerifyCases.h"
#include "tripy/Base/SizeExpr.h"

using namespace tripy;
using namespace tripy::samples;

namespace {

const VerifyCase cpuCases[] = {
    {"buffer kind",
     [](Sample &s) { s.program.buffers[2].kind = BufferKind(6); },
     "buffer 2: unknown kind 6"},
    {"zeroed bytes",
     [](Sample &s) {
       s.program.buffers.push_back({BufferKind::Zeroed, 0, 256, 16});
     },
     "zeroed bytes must lie behind the 304 bytes of other buffers in the "
     "arena, but are at 256"},
    {"buffer kind zero",
     [](Sample &s) { s.program.buffers[2].kind = BufferKind(0); },
     "buffer 2: unknown kind 0"},
    {"buffer input", [](Sample &s) { s.program.buffers[0].index = 2; },
     "buffer 0: the tensor must be one of 2, but is 2"},
    {"buffer output", [](Sample &s) { s.program.buffers[4].index = 2; },
     "buffer 4: the tensor must be one of 2, but is 2"},
    {"buffer input offset", [](Sample &s) { s.program.buffers[0].offset = 64; },
     "buffer 0: an input or output has no offset"},
    {"buffer input size", [](Sample &s) { s.program.buffers[0].size = 64; },
     "buffer 0: an input or output has no offset"},
    {"arena alignment", [](Sample &s) { s.program.buffers[2].offset = 128; },
     "buffer 2: the offset must be a multiple of 256"},
    {"arena end", [](Sample &s) { s.program.buffers[2].size = 257; },
     "buffer 2: must lie inside the 512 bytes of the arena"},
    {"arena overflow",
     [](Sample &s) { s.program.buffers[2].size = UINT64_MAX - 255; },
     "buffer 2: must lie inside the 512 bytes of the arena"},
    {"constant alignment", [](Sample &s) { s.program.buffers[3].offset = 32; },
     "buffer 3: the offset must be a multiple of 64"},
    {"constant end", [](Sample &s) { s.program.buffers[3].size = 49; },
     "buffer 3: must lie inside the 112 constant bytes"},

    {"image kind", [](Sample &s) { s.program.images[0].kind = ImageKind(0); },
     "image 0: unknown kind 0"},
    {"image cubin on cpu",
     [](Sample &s) { s.program.images[0].kind = ImageKind::Cubin; },
     "the CPU has host code only"},
    {"image features",
     [](Sample &s) { s.program.images[0].arch = "avx2,,fma"; },
     "is no list of processor features"},
    {"image features end",
     [](Sample &s) { s.program.images[0].arch = "avx2,"; },
     "is no list of processor features"},
    {"image features text",
     [](Sample &s) { s.program.images[0].arch = "AVX\n"; },
     "is no list of processor features"},
    {"image features length",
     [](Sample &s) { s.program.images[0].arch.assign(2000, 'a'); },
     "is no list of processor features"},
    {"image end", [](Sample &s) { ++s.program.images[0].size; },
     "image 0: must have bytes inside"},
    {"image overflow",
     [](Sample &s) { s.program.images[0].offset = UINT64_MAX - 3; },
     "image 0: must have bytes inside"},
    {"image empty", [](Sample &s) { s.program.images[0].size = 0; },
     "image 0: must have bytes inside"},
    {"two host images",
     [](Sample &s) {
       s.program.images = {{ImageKind::HostCode, "", 0, 60},
                           {ImageKind::HostCode, "", 60, 10}};
     },
     "a program for the CPU has one image, but here are 2"},
    {"no image", [](Sample &s) { s.program.images.clear(); },
     "a program with kernels must have an image"},

    {"kernel block", [](Sample &s) { s.program.kernels[0].block[0] = 2; },
     "kernel 0: block and cluster must be 1 on the CPU"},
    {"kernel cluster", [](Sample &s) { s.program.kernels[0].cluster[2] = 0; },
     "kernel 0: block and cluster must be 1 on the CPU"},
    {"kernel scratch",
     [](Sample &s) { s.program.kernels[1].scratchBytes = (64 << 20) + 1; },
     "kernel 1: scratch memory may be at most", Code::LimitExceeded},
    {"kernel entry",
     [](Sample &s) { s.program.kernels[1].entry = s.image.size(); },
     "kernel 1: the entry must lie inside"},
    {"kernel param", [](Sample &s) { s.program.kernels[0].params[0] = 4; },
     "kernel 0: unknown kind of parameter 4"},
    {"kernel tensor map", [](Sample &s) { s.program.kernels[0].params[0] = 3; },
     "kernel 0: unknown kind of parameter 3"},
    {"kernel params",
     [](Sample &s) { s.program.kernels[0].params.assign(513, 1); },
     "kernel 0: may have at most 512 parameters", Code::LimitExceeded},
    {"kernel name empty", [](Sample &s) { s.program.kernels[0].symbol = ""; },
     "each entry point must have a name"},
    {"kernel name twice",
     [](Sample &s) { s.program.kernels[0].symbol = "count_i64"; },
     "names of entry points must differ"},
    {"kernel name text",
     [](Sample &s) { s.program.kernels[0].symbol = "\x07"; },
     "a name of an entry point: must be UTF-8"},
    {"tensor map on cpu", [](Sample &s) { s.program.tensorMaps.resize(1); },
     "a program for the CPU has no tensor maps"},

    {"launch kernel", [](Sample &s) { s.program.launches[1].kernel = 2; },
     "launch 1: the kernel must be one of 2, but is 2"},
    {"launch grid expression",
     [](Sample &s) { s.program.launches[1].grid[0] = 99; },
     "launch 1: the size expression must be one of"},
    {"launch grid negative",
     [](Sample &s) {
       s.program.launches[1].grid[0] = s.binary(SizeOp::Sub, 0, 3);
     },
     "launch 1: grid size 0 must be 0 to"},
    {"launch grid y", [](Sample &s) { s.program.launches[1].grid[1] = 2; },
     "launch 1: grid size 1 must be 1 to 1, but may be from 3 to 3"},
    {"launch grid z", [](Sample &s) { s.program.launches[1].grid[2] = 0; },
     "launch 1: grid size 2 must be 1 to 1, but may be from 0 to 4"},
    {"launch args", [](Sample &s) { s.program.launches[0].args.pop_back(); },
     "launch 0: the kernel takes 3 arguments, but gets 2"},
    {"launch arg kind",
     [](Sample &s) { s.program.launches[0].args[1].kind = ArgKind::Size; },
     "launch 0: argument 1 must be of kind 1, but is of 2"},
    {"launch arg buffer",
     [](Sample &s) { s.program.launches[0].args[1].index = 6; },
     "launch 0: argument 1 must be one of 6, but is 6"},
    {"launch arg size",
     [](Sample &s) { s.program.launches[2].args[1].index = 99; },
     "launch 2: argument 1 must be one of"},
    {"launch accesses",
     [](Sample &s) { s.program.launches[0].accesses.pop_back(); },
     "launch 0: must have an access for each of 3 buffer arguments"},
    {"launch writes input",
     [](Sample &s) { s.program.launches[0].accesses[0].writes = true; },
     "launch 0: may write outputs and the arena only, but writes buffer 0"},
    {"launch writes constant",
     [](Sample &s) { s.program.launches[1].accesses[1].writes = true; },
     "launch 1: may write outputs and the arena only, but writes buffer 3"},
    {"launch touches nothing",
     [](Sample &s) { s.program.launches[0].accesses[0].reads = false; },
     "launch 0: neither reads nor writes buffer 0"},
    {"launch bytes expression",
     [](Sample &s) { s.program.launches[0].accesses[0].bytes = 99; },
     "launch 0: the size expression must be one of"},
    {"launch bytes negative",
     [](Sample &s) {
       s.program.launches[0].accesses[0].bytes = s.binary(SizeOp::Sub, 0, 2);
     },
     "launch 0: bytes touched may not be negative"},
    {"launch bytes arena", [](Sample &s) { s.program.buffers[2].size = 47; },
     "launch 0: may touch at most the 47 bytes of buffer 2, but touches up to "
     "48"},
    {"launch bytes constant", [](Sample &s) { s.program.buffers[3].size = 47; },
     "launch 1: may touch at most the 47 bytes of buffer 3"},
    {"launch aliases arena",
     [](Sample &s) {
       s.program.buffers.push_back({BufferKind::Arena, 0, 256, 16});
       s.program.launches[1].args[1].index = 6;
       s.program.launches[1].accesses[1].bytes = s.constant(16);
       s.program.launches[1].accesses[0].writes = true;
     },
     "launch 1: memory that one argument writes is touched by another one"},
    {"launch aliases later",
     [](Sample &s) {
       s.program.arenaBytes = 1024;
       s.program.buffers[2] = {BufferKind::Arena, 0, 0, 512};
       s.program.buffers.push_back({BufferKind::Arena, 0, 256, 256});
       s.program.launches[0].args[0].index = 2;
       s.program.launches[0].accesses[0].bytes = s.constant(512);
       s.program.launches[0].args[2].index = 6;
     },
     "launch 0: memory that one argument writes is touched by another one"},
    {"launch aliases output",
     [](Sample &s) { s.program.launches[1].args[0].index = 4; },
     "launch 1: memory that one argument writes is touched by another one"},
    {"launch writes nothing",
     [](Sample &s) {
       s.program.launches[0].accesses[2] = {true, false,
                                            s.program.launches[0].grid[1]};
     },
     "launch 0: must write something"},
    {"work kind",
     [](Sample &s) { s.program.launches[1].work[0].kind = WorkKind(5); },
     "launch 1: unknown kind of work 5"},
    {"work type",
     [](Sample &s) { s.program.launches[1].work[1].dtype = DType(99); },
     "launch 1: unknown element type 99"},
    {"work access", [](Sample &s) { s.program.launches[1].work[0].access = 3; },
     "launch 1: work must be on one of 3 accesses, but is on 3"},
    {"work expression",
     [](Sample &s) { s.program.launches[1].work[1].sizes[0] = 99; },
     "launch 1: the size expression must be one of"},
    {"work sizes",
     [](Sample &s) { s.program.launches[1].work[1].sizes.assign(65, 0); },
     "a term of work may have at most 64 sizes", Code::LimitExceeded},
    {"work terms", [](Sample &s) { s.program.launches[1].work.resize(513); },
     "launch 1: may have at most 512 terms of work", Code::LimitExceeded},
    {"launch why", [](Sample &s) { s.program.launches[2].why = 2; },
     "launch 2: the why must be one of 2, but is 2"},
    {"output not written", [](Sample &s) { s.program.launches.pop_back(); },
     "output 1: must be written by a launch"},
    {"output only read",
     [](Sample &s) {
       s.program.launches[1].accesses[2] = {true, false, 0};
       s.program.launches[1].accesses[0].writes = true;
     },
     "output 0: must be written by a launch"},
};

INSTANTIATE_TEST_SUITE_P(Launches, VerifyCpu, testing::ValuesIn(cpuCases),
                         verifyCaseName);

const VerifyCase cudaCases[] = {
    {"image host code",
     [](Sample &s) { s.program.images[0].kind = ImageKind::HostCode; },
     "a program for the GPU has no host code"},
    {"image arch", [](Sample &s) { s.program.images[0].arch = "sm_9x"; },
     "is no GPU architecture"},
    {"image arch empty", [](Sample &s) { s.program.images[0].arch = ""; },
     "is no GPU architecture"},
    {"image arch prefix", [](Sample &s) { s.program.images[0].arch = "gfx90"; },
     "is no GPU architecture"},
    {"image arch digits",
     [](Sample &s) { s.program.images[0].arch = "sm_9000"; },
     "is no GPU architecture"},
    {"images overlap",
     [](Sample &s) {
       s.program.images[1].offset = 63;
       s.program.images[1].size = 29;
     },
     "images may not overlap, but two do at 63"},
    {"ptx end", [](Sample &s) { s.image.back() = 'x'; },
     "PTX must end with its only zero byte"},
    {"ptx zero", [](Sample &s) { s.image[70] = 0; },
     "PTX must end with its only zero byte"},

    {"block zero", [](Sample &s) { s.program.kernels[0].block[1] = 0; },
     "a block has 1 to 1024 threads"},
    {"block product",
     [](Sample &s) { s.program.kernels[0].block = {1024, 2, 1}; },
     "a block has 1 to 1024 threads"},
    {"block z", [](Sample &s) { s.program.kernels[0].block = {1, 1, 65}; },
     "a block has 1 to 1024 threads"},
    {"block overflow",
     [](Sample &s) { s.program.kernels[0].block = {65536, 65536, 1}; },
     "a block has 1 to 1024 threads"},
    {"cluster zero", [](Sample &s) { s.program.kernels[0].cluster[0] = 0; },
     "and a cluster 1 to 16 blocks"},
    {"cluster", [](Sample &s) { s.program.kernels[0].cluster = {8, 4, 1}; },
     "and a cluster 1 to 16 blocks"},
    {"shared memory",
     [](Sample &s) { s.program.kernels[0].scratchBytes = 232449; },
     "kernel 0: scratch memory may be at most 232448 bytes",
     Code::LimitExceeded},
    {"entry", [](Sample &s) { s.program.kernels[0].entry = 1; },
     "kernel 0: a GPU kernel is found by name"},
    {"parameter bytes",
     [](Sample &s) { s.program.kernels[0].params.assign(33, 3); },
     "parameters may have at most 4096 bytes", Code::LimitExceeded},

    {"map buffer", [](Sample &s) { s.program.tensorMaps[0].buffer = 2; },
     "tensor map 0: the buffer must be one of 2"},
    {"map dtype", [](Sample &s) { s.program.tensorMaps[0].dtype = DType(99); },
     "tensor map 0: unknown element type 99"},
    {"map rank", [](Sample &s) { s.program.tensorMaps[0] = {}; },
     "tensor map 0: must have 1 to 5 dimensions"},
    {"map rank six",
     [](Sample &s) {
       TensorMap &map = s.program.tensorMaps[0];
       map.dims.assign(6, 0);
       map.strides.assign(5, 0);
       map.box.assign(6, 1);
     },
     "tensor map 0: must have 1 to 5 dimensions"},
    {"map strides", [](Sample &s) { s.program.tensorMaps[0].strides.clear(); },
     "tensor map 0: must have 1 to 5 dimensions"},
    {"map boxes", [](Sample &s) { s.program.tensorMaps[0].box.pop_back(); },
     "tensor map 0: must have 1 to 5 dimensions"},
    {"map box zero", [](Sample &s) { s.program.tensorMaps[0].box[0] = 0; },
     "tensor map 0: box sizes must be 1 to 256"},
    {"map box", [](Sample &s) { s.program.tensorMaps[0].box[0] = 257; },
     "tensor map 0: box sizes must be 1 to 256"},
    {"map swizzle", [](Sample &s) { s.program.tensorMaps[0].swizzle = 16; },
     "tensor map 0: the swizzle must be 0, 32, 64 or 128"},
    {"map dim", [](Sample &s) { s.program.tensorMaps[0].dims[0] = 99; },
     "tensor map 0: the size expression must be one of"},
    {"map stride", [](Sample &s) { s.program.tensorMaps[0].strides[0] = 99; },
     "tensor map 0: the size expression must be one of"},
    {"map dim negative",
     [](Sample &s) { s.program.tensorMaps[0].dims[0] = s.constant(-8); },
     "tensor map 0: sizes and strides must be 0 to 2^40 - 1"},
    {"map stride huge",
     [](Sample &s) {
       s.program.tensorMaps[0].strides[0] = s.constant(int64_t(1) << 40);
     },
     "tensor map 0: sizes and strides must be 0 to 2^40 - 1"},

    {"grid x",
     [](Sample &s) {
       s.program.launches[0].grid[0] = s.constant(int64_t(1) << 31);
     },
     "launch 0: grid size 0 must be 0 to 2147483647"},
    {"grid y",
     [](Sample &s) { s.program.launches[0].grid[1] = s.constant(65536); },
     "launch 0: grid size 1 must be 0 to 65535"},
    {"grid cluster",
     [](Sample &s) { s.program.launches[0].grid[0] = s.constant(3); },
     "launch 0: grid size 0 must be a multiple of the cluster's 2"},
    {"arg map", [](Sample &s) { s.program.launches[0].args[0].index = 1; },
     "launch 0: argument 0 must be one of 1, but is 1"},
    {"writes through a map",
     [](Sample &s) { s.program.launches[0].accesses[0].writes = true; },
     "launch 0: may write outputs and the arena only, but writes buffer 0"},
};

TEST_P(VerifyCuda, IsRefused) { expectRefused(*cudaSample(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(Launches, VerifyCuda, testing::ValuesIn(cudaCases),
                         verifyCaseName);

/// Values of all expressions at given symbol values.
std::vector<int64_t> valuesAt(const Program &program,
                              std::vector<int64_t> symbols) {
  std::vector<int64_t> values(program.exprs.size());
  EXPECT_TRUE(evaluateSizes(program, symbols, values).isOk());
  return values;
}

TEST(CheckAccesses, SamplesHold) {
  auto cpu = cpuSample(), cuda = cudaSample();
  for (int64_t batch : {0, 1, 4})
    EXPECT_TRUE(
        checkAccesses(cpu->program, valuesAt(cpu->program, {batch, batch}))
            .isOk());
  EXPECT_TRUE(checkAccesses(cuda->program, valuesAt(cuda->program, {})).isOk());
}

/// Nothing that ranges could compare, so the run-time check must.
TEST(CheckAccesses, InputsAndOutputs) {
  for (size_t access : {0, 1}) {
    auto sample = cpuSample();
    sample->program.launches[0].accesses[access].bytes = sample->constant(24);
    ASSERT_TRUE(verifyProgram(sample->program).isOk());
    EXPECT_TRUE(
        checkAccesses(sample->program, valuesAt(sample->program, {2, 2}))
            .isOk());
    Status status =
        checkAccesses(sample->program, valuesAt(sample->program, {1, 1}));
    EXPECT_NE(status.message().find("launch 0: may touch of a tensor at most "
                                    "the 12 bytes, but touches 24"),
              std::string::npos)
        << status.message();
  }
  auto sample = cpuSample();
  sample->program.launches[2].accesses[0].bytes = sample->constant(17);
  EXPECT_TRUE(
      checkAccesses(sample->program, valuesAt(sample->program, {3, 3})).isOk());
  EXPECT_FALSE(
      checkAccesses(sample->program, valuesAt(sample->program, {2, 2})).isOk());
}

/// A kernel may store to one tensor through its pointer and its tensor map.
TEST(VerifyLaunch, MapOfAWrittenBuffer) {
  auto withMap = [](bool ofAnotherPointer) {
    auto sample = cudaSample();
    Program &program = sample->program;
    program.tensorMaps.push_back(program.tensorMaps[0]);
    program.tensorMaps[1].buffer = 1;
    Launch &launch = program.launches[0];
    launch.args.insert(launch.args.begin() + 2, {ArgKind::TensorMap, 1});
    launch.accesses.push_back(launch.accesses[1]);
    auto &params = program.kernels[0].params;
    params.insert(params.begin() + 2, uint8_t(ArgKind::TensorMap));
    if (ofAnotherPointer) {
      program.buffers.push_back(program.buffers[1]);
      program.tensorMaps[1].buffer = 2;
    }
    return verifyProgram(program);
  };
  EXPECT_TRUE(withMap(false).isOk()) << withMap(false).message();
  EXPECT_NE(withMap(true).message().find("is touched by another one"),
            std::string::npos)
      << withMap(true).message();
}

TEST(CheckAccesses, TensorMaps) {
  auto refuses = [](void (*change)(Sample &)) {
    auto sample = cudaSample();
    change(*sample);
    EXPECT_TRUE(verifyProgram(sample->program).isOk());
    Status status =
        checkAccesses(sample->program, valuesAt(sample->program, {}));
    return status.message().find("a tensor map covers") != std::string::npos;
  };
  EXPECT_FALSE(refuses([](Sample &) {}));
  EXPECT_TRUE(refuses(
      [](Sample &s) { s.program.tensorMaps[0].dims[1] = s.constant(17); }));
  EXPECT_TRUE(refuses(
      [](Sample &s) { s.program.tensorMaps[0].strides[0] = s.constant(32); }));
  EXPECT_TRUE(
      refuses([](Sample &s) { s.program.tensorMaps[0].dtype = DType::F32; }));
  // (2^39)^2 overflows.
  EXPECT_TRUE(refuses([](Sample &s) {
    TableIndex big = s.constant(int64_t(1) << 39);
    s.program.tensorMaps[0].dims[1] = big;
    s.program.tensorMaps[0].strides[0] = big;
  }));
  EXPECT_FALSE(refuses(
      [](Sample &s) { s.program.tensorMaps[0].dims[1] = s.constant(0); }));
}

} // namespace
