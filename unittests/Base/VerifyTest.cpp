//===- VerifyTest.cpp - Rules of sizes and of the interface ---------------===//
//
// One case for each rule: a change of a valid program and the words that the
// refusal must have. VerifyLaunchTest.cpp has memory, kernels and launches.
//
//===----------------------------------------------------------------------===//

#include "VerifyCases.h"

using namespace tripy;
using namespace tripy::samples;

namespace {

constexpr int64_t maxI64 = std::numeric_limits<int64_t>::max();

const VerifyCase sizeCases[] = {
    {"device", [](Sample &s) { s.program.device = DeviceKind(3); },
     "the device must be 1 (CPU) or 2 (CUDA), but is 3"},
    {"program name text", [](Sample &s) { s.program.name = "a\nb"; },
     "the program's name: must be UTF-8"},
    {"program name utf8", [](Sample &s) { s.program.name = "\xff"; },
     "the program's name: must be UTF-8"},
    {"program name length", [](Sample &s) { s.program.name.assign(1025, 'a'); },
     "may have at most 1024 bytes", Code::LimitExceeded},
    {"arena limit",
     [](Sample &s) { s.program.arenaBytes = (uint64_t(1) << 40) + 1; },
     "the arena may have at most", Code::LimitExceeded},
    {"why text",
     [](Sample &s) { s.program.whys[0].lines[0].reason = "\x1b[2J"; },
     "a why: must be UTF-8"},
    {"why file", [](Sample &s) { s.program.whys[0].lines[0].file = "\x01"; },
     "a why: must be UTF-8"},
    {"why operation",
     [](Sample &s) { s.program.whys[0].lines[0].operation = "\x01"; },
     "a why: must be UTF-8"},
    {"why length",
     [](Sample &s) { s.program.whys[0].lines[0].reason.assign(4097, 'r'); },
     "may have at most 4096 bytes", Code::LimitExceeded},
    {"why function",
     [](Sample &s) { s.program.whys[0].lines[0].function = "\x01"; },
     "a why: must be UTF-8"},
    {"why caller", [](Sample &s) { s.program.whys[0].lines[0].caller = 2; },
     "a caller must be one of the 2 frames before it, but is 2"},
    {"frame text", [](Sample &s) { s.program.frames[0].function = "\x1b[2J"; },
     "a frame: must be UTF-8"},
    {"frame file", [](Sample &s) { s.program.frames[1].file = "\x01"; },
     "a frame: must be UTF-8"},
    {"frame calls itself", [](Sample &s) { s.program.frames[1].caller = 1; },
     "a caller must be one of the 1 frames before it, but is 1"},
    {"check operand", [](Sample &s) { s.program.checks[0].operands[1] = 2; },
     "check 0: the why must be one of 2, but is 2"},
    {"check operands",
     [](Sample &s) { s.program.checks[0].operands.assign(513, 0); },
     "check 0: may have at most 512 operands", Code::LimitExceeded},
    {"why lines", [](Sample &s) { s.program.whys[0].lines.resize(257); },
     "a why may have at most 256 lines", Code::LimitExceeded},

    {"symbol negative", [](Sample &s) { s.program.symbols[0].min = -1; },
     "symbol 0: must have 0 <= min <= opt <= max"},
    {"symbol min above opt", [](Sample &s) { s.program.symbols[0].min = 3; },
     "symbol 0: must have 0 <= min <= opt <= max"},
    {"symbol opt above max", [](Sample &s) { s.program.symbols[0].opt = 5; },
     "symbol 0: must have 0 <= min <= opt <= max"},
    {"symbol max",
     [](Sample &s) { s.program.symbols[0].max = int64_t(1) << 40; },
     "symbol 0: must have 0 <= min <= opt <= max"},
    {"symbol input", [](Sample &s) { s.program.symbols[0].input = 2; },
     "symbol 0: the input must be one of 2, but is 2"},
    {"symbol dim", [](Sample &s) { s.program.symbols[0].dim = 2; },
     "symbol 0: the dimension must be one of 2"},
    {"symbol not there", [](Sample &s) { s.program.symbols[0].dim = 1; },
     "symbol 0: dimension 1 of input 0 must be this symbol"},
    {"symbol of another", [](Sample &s) { s.program.symbols[0].input = 1; },
     "symbol 0: dimension 0 of input 1 must be this symbol"},
    {"symbol dim expression",
     [](Sample &s) { s.program.inputs[0].dims[0] = 99; },
     "symbol 0: dimension 0 of input 0 must be this symbol"},
    {"symbol name", [](Sample &s) { s.program.symbols[0].name = "\x02"; },
     "symbol 0: must be UTF-8"},

    {"expr symbol",
     [](Sample &s) { s.program.exprs.push_back({SizeOp::Symbol, 2, 0, 0}); },
     "the symbol must be one of 2, but is 2"},
    {"expr op zero",
     [](Sample &s) { s.program.exprs.push_back({SizeOp(0), 0, 0, 0}); },
     "unknown operation 0"},
    {"expr op",
     [](Sample &s) { s.program.exprs.push_back({SizeOp(18), 0, 0, 0}); },
     "unknown operation 18"},
    {"expr operand a",
     [](Sample &s) {
       TableIndex next = TableIndex(s.program.exprs.size());
       s.binary(SizeOp::Add, next, 0);
     },
     "operands must come before it"},
    {"expr operand b",
     [](Sample &s) {
       TableIndex next = TableIndex(s.program.exprs.size());
       s.binary(SizeOp::Add, 0, next);
     },
     "operands must come before it"},
    {"expr overflow",
     [](Sample &s) {
       TableIndex big = s.constant(maxI64);
       s.binary(SizeOp::Add, big, 0);
     },
     "may overflow or divide by zero"},
    {"expr division", [](Sample &s) { s.binary(SizeOp::FloorDiv, 2, 0); },
     "may overflow or divide by zero"},

    {"check kind", [](Sample &s) { s.program.checks[0].kind = CheckKind(9); },
     "check 0: unknown kind 9"},
    {"check kind zero",
     [](Sample &s) { s.program.checks[0].kind = CheckKind(0); },
     "check 0: unknown kind 0"},
    {"check a", [](Sample &s) { s.program.checks[0].a = 99; },
     "check 0: the size expression must be one of"},
    {"check b", [](Sample &s) { s.program.checks[0].b = noIndex; },
     "check 0: the size expression must be one of"},
    {"check message", [](Sample &s) { s.program.checks[0].message = "\xfe"; },
     "check 0: must be UTF-8"},
    {"check why", [](Sample &s) { s.program.checks[0].why = 2; },
     "check 0: the why must be one of 2, but is 2"},

    {"input kind", [](Sample &s) { s.program.inputs[0].kind = InputKind(4); },
     "input 0: unknown kind 4"},
    {"input dtype", [](Sample &s) { s.program.inputs[0].dtype = DType(0); },
     "input 0: unknown element type 0"},
    {"input rank",
     [](Sample &s) {
       s.program.inputs[0].dims.assign(9, 5);
       s.program.inputs[0].dims[0] = 0;
     },
     "input 0: the rank may be at most 8, but is 9", Code::LimitExceeded},
    {"input dim expression",
     [](Sample &s) { s.program.inputs[0].dims[1] = 99; },
     "input 0: the size expression must be one of"},
    {"input size negative",
     [](Sample &s) { s.program.inputs[0].dims[1] = s.constant(-1); },
     "input 0: sizes must be 0 to 2^40 - 1"},
    {"input size huge",
     [](Sample &s) {
       s.program.inputs[0].dims[1] = s.constant(int64_t(1) << 40);
     },
     "input 0: sizes must be 0 to 2^40 - 1"},
    {"input bytes",
     [](Sample &s) {
       TableIndex big = s.constant(int64_t(1) << 31);
       s.program.inputs[0].dims = {0, big, big};
     },
     "input 0: the bytes of its largest size must be below 2^63"},
    {"input bytes behind zero",
     [](Sample &s) {
       TableIndex big = s.constant(int64_t(1) << 39), zero = s.constant(0);
       s.program.inputs[0].dims = {0, zero, big, big};
     },
     "input 0: the bytes of its largest size must be below 2^63"},
    {"input dim computed",
     [](Sample &s) {
       s.program.inputs[0].dims[1] = s.binary(SizeOp::Add, 2, 2);
     },
     "must be a constant or a symbol"},
    {"input foreign symbol", [](Sample &s) { s.program.inputs[0].dims[1] = 1; },
     "must be the symbol of this dimension"},
    {"parameter dynamic",
     [](Sample &s) { s.program.inputs[0].kind = InputKind::Parameter; },
     "a parameter must have static sizes"},
    {"size dtype",
     [](Sample &s) {
       addSizeInput(s);
       s.program.inputs.back().dtype = DType::I32;
     },
     "input 'n': a size must have element type 5 (i64), but has 4"},
    {"size without symbol",
     [](Sample &s) {
       addSizeInput(s);
       s.program.inputs.back().dims.clear();
       s.program.symbols.pop_back();
       s.program.exprs.pop_back();
     },
     "input 'n': a size must have one symbol, its value"},
    {"size of two",
     [](Sample &s) {
       addSizeInput(s);
       s.program.inputs.back().dims.push_back(2);
     },
     "input 'n': a size must have one symbol, its value"},
    {"size of a constant",
     [](Sample &s) {
       addSizeInput(s);
       s.program.symbols.pop_back();
       s.program.exprs.back() = {SizeOp::Constant, 0, 0, 3};
     },
     "input 'n': a size must have one symbol, its value"},
    {"size of another input",
     [](Sample &s) {
       addSizeInput(s);
       s.program.inputs.back().dims[0] = 0;
     },
     "symbol 2: dimension 0 of input 2 must be this symbol"},
    {"size read by a kernel",
     [](Sample &s) {
       addSizeInput(s);
       s.program.buffers[0].index = 2;
     },
     "buffer 0: input 2 is a size, which kernels get by value"},
    {"input why", [](Sample &s) { s.program.inputs[0].why = 2; },
     "input 0: the why must be one of 2"},
    {"input name empty", [](Sample &s) { s.program.inputs[0].name = ""; },
     "each input must have a name"},
    {"input name twice", [](Sample &s) { s.program.inputs[0].name = "y"; },
     "names of inputs must differ, but 'y' is there twice"},
    {"input name text", [](Sample &s) { s.program.inputs[0].name = "\x80"; },
     "a name of an input: must be UTF-8"},
    {"input path text", [](Sample &s) { s.program.inputs[0].path = "a\n"; },
     "input 0: the path: must be UTF-8"},
    {"input path length",
     [](Sample &s) { s.program.inputs[0].path.assign(1025, 'x'); },
     "input 0: the path: may have at most 1024 bytes", Code::LimitExceeded},
    {"input name length",
     [](Sample &s) { s.program.inputs[0].name.assign(1025, 'x'); },
     "may have at most 1024 bytes", Code::LimitExceeded},

    {"output dtype", [](Sample &s) { s.program.outputs[0].dtype = DType(99); },
     "output 0: unknown element type 99"},
    {"output rank", [](Sample &s) { s.program.outputs[0].dims.assign(9, 5); },
     "output 0: the rank may be at most 8", Code::LimitExceeded},
    {"output dim expression",
     [](Sample &s) { s.program.outputs[0].dims[1] = 99; },
     "output 0: the size expression must be one of"},
    {"output size negative",
     [](Sample &s) {
       s.program.outputs[0].dims[1] = s.binary(SizeOp::Sub, 0, 2);
     },
     "output 0: sizes must be 0 to 2^40 - 1"},
    {"output why", [](Sample &s) { s.program.outputs[0].why = 2; },
     "output 0: the why must be one of 2"},
    {"output name empty", [](Sample &s) { s.program.outputs[0].name = ""; },
     "each output must have a name"},
    {"output name twice",
     [](Sample &s) { s.program.outputs[0].name = "count"; },
     "names of outputs must differ"},
};

TEST_P(VerifyCpu, IsRefused) { expectRefused(*cpuSample(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(Sizes, VerifyCpu, testing::ValuesIn(sizeCases),
                         verifyCaseName);

TEST(Verify, Samples) {
  for (auto make : {cpuSample, cudaSample, productSample, sizeSample,
                    hostPluginSample, cudaPluginSample}) {
    Status status = verifyProgram(make()->program);
    EXPECT_TRUE(status.isOk()) << status.message();
  }
}

TEST(Verify, EmptyProgram) { EXPECT_TRUE(verifyProgram(Program()).isOk()); }

/// Each list has its limit.
TEST(Verify, Counts) {
  struct Row {
    const char *what;
    void (*shrink)(ProgramLimits &limits);
  };
  for (const Row &row :
       {Row{"symbols", [](ProgramLimits &l) { l.symbols = 1; }},
        {"expressions", [](ProgramLimits &l) { l.exprs = 9; }},
        {"checks", [](ProgramLimits &l) { l.checks = 0; }},
        {"inputs", [](ProgramLimits &l) { l.tensors = 1; }},
        {"kernels", [](ProgramLimits &l) { l.kernels = 1; }},
        {"images", [](ProgramLimits &l) { l.images = 0; }},
        {"launches", [](ProgramLimits &l) { l.launches = 2; }},
        {"frames", [](ProgramLimits &l) { l.frames = 1; }},
        {"whys", [](ProgramLimits &l) { l.whys = 1; }}}) {
    ProgramLimits limits;
    row.shrink(limits);
    Status status = verifyProgram(cpuSample()->program, limits);
    EXPECT_EQ(status.code(), Code::LimitExceeded);
    EXPECT_NE(status.message().find(row.what), std::string::npos)
        << status.message();
  }
  ProgramLimits limits;
  limits.arenaBytes = 511;
  EXPECT_EQ(verifyProgram(cpuSample()->program, limits).code(),
            Code::LimitExceeded);
}

TEST(Verify, ConstantSizeMayComeFromOutside) {
  auto sample = cpuSample();
  sample->program.constants = {};
  EXPECT_FALSE(verifyProgram(sample->program).isOk());
  EXPECT_TRUE(verifyProgram(sample->program, {}, 112).isOk());
  EXPECT_FALSE(verifyProgram(sample->program, {}, 111).isOk());
}

TEST(Verify, MillionLaunchesAreQuick) {
  auto sample = cpuSample();
  Launch launch = sample->program.launches[0];
  sample->program.launches.insert(sample->program.launches.begin(), 200000,
                                  launch);
  EXPECT_TRUE(verifyProgram(sample->program).isOk());
}

} // namespace
