//===- SampleProgram.cpp - Small programs for tests -----------------------===//

#include "SampleProgram.h"
#include "tripy/Base/ExecutableFormat.h"

#include <cstring>
#include <string_view>

using namespace tripy;
using namespace tripy::samples;

// Host kernels get (rdi: buffers, rsi: sizes, rdx: begin, rcx: end,
// r8: scratch).
static constexpr uint8_t hostCode[] = {
    // add_f32, at 0: buffers[2][i] = buffers[0][i] + buffers[1][i]
    0x4c,
    0x8b,
    0x0f, // mov r9, [rdi]
    0x4c,
    0x8b,
    0x57,
    0x08, // mov r10, [rdi + 8]
    0x4c,
    0x8b,
    0x5f,
    0x10, // mov r11, [rdi + 16]
    0x48,
    0x39,
    0xca, // loop: cmp rdx, rcx
    0x7d,
    0x17, // jge done
    0xf3,
    0x41,
    0x0f,
    0x10,
    0x04,
    0x91, // movss xmm0, [r9 + 4 * rdx]
    0xf3,
    0x41,
    0x0f,
    0x58,
    0x04,
    0x92, // addss xmm0, [r10 + 4 * rdx]
    0xf3,
    0x41,
    0x0f,
    0x11,
    0x04,
    0x93, // movss [r11 + 4 * rdx], xmm0
    0x48,
    0xff,
    0xc2, // inc rdx
    0xeb,
    0xe4, // jmp loop
    0xc3, // done: ret
    0xcc,
    0xcc,
    0xcc,
    0xcc,
    0xcc,
    0xcc,
    0xcc,
    0xcc,
    // count_i64, at 48: buffers[0][i] = sizes[0] + i, by way of scratch
    0x4c,
    0x8b,
    0x0f, // mov r9, [rdi]
    0x48,
    0x39,
    0xca, // loop: cmp rdx, rcx
    0x7d,
    0x12, // jge done
    0x49,
    0x89,
    0x10, // mov [r8], rdx
    0x48,
    0x8b,
    0x06, // mov rax, [rsi]
    0x49,
    0x03,
    0x00, // add rax, [r8]
    0x49,
    0x89,
    0x04,
    0xd1, // mov [r9 + 8 * rdx], rax
    0x48,
    0xff,
    0xc2, // inc rdx
    0xeb,
    0xe9, // jmp loop
    0xc3, // done: ret
};

static void addWhys(Program &program) {
  program.frames = {{"main.cpp", 30, 3, "main()"},
                    {"model.cpp", 20, 5, "run()", 0}};
  program.whys = {
      {{{"model.cpp", 11, 14, "trace.add", ""},
        {"model.cpp", 5, 10, "trace.add",
         "broadcast the right operand of '+' from (3,) to (2, 3)", "helper()",
         1}}},
      {{{"model.cpp", 9, 1, "trace.matmul", ""}}},
  };
}

static void addMemory(Sample &sample) {
  Program &program = sample.program;
  sample.image.assign(std::begin(hostCode), std::end(hostCode));
  // 12 floats at offset 64.
  sample.constants.resize(112);
  for (int i = 0; i < 12; ++i) {
    float value = float(100 + i);
    std::memcpy(&sample.constants[64 + 4 * i], &value, 4);
  }
  program.imageData = sample.image;
  program.constants = sample.constants;
  program.images = {{ImageKind::HostCode, "sse2", 0, sample.image.size()}};
  program.arenaBytes = 512;
  program.buffers = {
      {BufferKind::Input, 0, 0, 0},    {BufferKind::Input, 1, 0, 0},
      {BufferKind::Arena, 0, 256, 48}, {BufferKind::Constant, 0, 64, 48},
      {BufferKind::Output, 0, 0, 0},   {BufferKind::Output, 1, 0, 0},
  };
}

std::unique_ptr<Sample> samples::cpuSample() {
  auto sample = std::make_unique<Sample>();
  Program &program = sample->program;
  program.name = "sample";
  program.symbols = {{0, 0, 0, 2, 4, "batch"}, {1, 0, 0, 2, 4, "batch"}};
  TableIndex batch = sample->symbol(0), other = sample->symbol(1);
  TableIndex three = sample->constant(3), four = sample->constant(4);
  TableIndex eight = sample->constant(8), one = sample->constant(1);
  TableIndex ten = sample->constant(10);
  TableIndex items = sample->binary(SizeOp::Mul, batch, three);
  TableIndex bytes = sample->binary(SizeOp::Mul, items, four);
  TableIndex countBytes = sample->binary(SizeOp::Mul, batch, eight);
  program.inputs = {
      {"x", InputKind::Argument, DType::F32, {batch, three}, 0},
      {"y", InputKind::Argument, DType::F32, {other, three}, noIndex}};
  program.inputs[1].path = "arg0.a key";
  program.outputs = {{"sum", DType::F32, {batch, three}, 0},
                     {"count", DType::I64, {batch}, noIndex}};
  program.checks = {{CheckKind::LessEqual,
                     batch,
                     four,
                     "the batch must be at most 4",
                     1,
                     {0, noIndex}}};
  addWhys(program);
  addMemory(*sample);
  uint8_t buffer = uint8_t(ArgKind::Buffer), size = uint8_t(ArgKind::Size);
  program.kernels = {
      {"add_f32", 0, {1, 1, 1}, {1, 1, 1}, 0, {buffer, buffer, buffer}},
      {"count_i64", 48, {1, 1, 1}, {1, 1, 1}, 64, {buffer, size}}};
  auto add = [&](TableIndex a, TableIndex b, TableIndex to) {
    return Launch{
        0,
        {items, one, one},
        {{ArgKind::Buffer, a}, {ArgKind::Buffer, b}, {ArgKind::Buffer, to}},
        {{true, false, bytes}, {true, false, bytes}, {false, true, bytes}},
        0,
        false};
  };
  program.launches = {add(0, 1, 2), add(2, 3, 4),
                      Launch{1,
                             {batch, one, one},
                             {{ArgKind::Buffer, 5}, {ArgKind::Size, ten}},
                             {{false, true, countBytes}},
                             1,
                             false}};
  // Of the constant, only what the batch needs.
  program.launches[1].work = {
      {WorkKind::Touched, DType::F32, 1, 12, {batch}},
      {WorkKind::Arithmetic, DType::F32, 0, 3, {batch}}};
  return sample;
}

void samples::addSizeInput(Sample &sample) {
  Program &program = sample.program;
  program.symbols.push_back(
      {TableIndex(program.inputs.size()), 0, 1, 4, 8, ""});
  TableIndex value = sample.symbol(TableIndex(program.symbols.size() - 1));
  program.inputs.push_back({"n", InputKind::Size, DType::I64, {value}, 0});
}

std::unique_ptr<Sample> samples::sizeSample() {
  std::unique_ptr<Sample> sample = cpuSample();
  addSizeInput(*sample);
  Program &program = sample->program;
  program.checks.push_back({CheckKind::Equal, program.inputs[0].dims[0],
                            program.inputs.back().dims[0],
                            "the batch must be n", 1});
  return sample;
}

std::unique_ptr<Sample> samples::cudaSample() {
  auto sample = std::make_unique<Sample>();
  Program &program = sample->program;
  program.device = DeviceKind::CUDA;
  program.name = "gpu sample";
  TableIndex rows = sample->constant(16), columns = sample->constant(8);
  TableIndex one = sample->constant(1), four = sample->constant(4);
  TableIndex stride = sample->constant(16), bytes = sample->constant(256);
  program.inputs = {{"a", InputKind::Argument, DType::F16, {rows, columns}, 0}};
  program.outputs = {{"b", DType::F16, {rows, columns}, 0}};
  addWhys(program);
  std::string_view ptx(".version 8.4\n.target sm_80\n\0", 28);
  sample->image.assign(64, 0x7f);
  sample->image.insert(sample->image.end(), ptx.begin(), ptx.end());
  program.imageData = sample->image;
  program.images = {{ImageKind::Cubin, "sm_90a", 0, 64},
                    {ImageKind::PTX, "sm_80", 64, ptx.size()}};
  program.buffers = {{BufferKind::Input, 0, 0, 0},
                     {BufferKind::Output, 0, 0, 0}};
  program.tensorMaps = {{0, DType::F16, {columns, rows}, {stride}, {8, 16}, 0}};
  program.kernels = {{"copy",
                      0,
                      {128, 1, 1},
                      {2, 1, 1},
                      1024,
                      {uint8_t(ArgKind::TensorMap), uint8_t(ArgKind::Buffer),
                       uint8_t(ArgKind::Size)}}};
  program.launches = {Launch{
      0,
      {four, one, one},
      {{ArgKind::TensorMap, 0}, {ArgKind::Buffer, 1}, {ArgKind::Size, rows}},
      {{true, false, bytes}, {false, true, bytes}},
      0,
      true}};
  return sample;
}

std::unique_ptr<Sample> samples::parameterSample() {
  auto sample = cpuSample();
  Program &program = sample->program;
  TableIndex three = 2, four = 3;
  program.symbols.pop_back();
  program.exprs[1] = {SizeOp::Constant, 0, 0, 4};
  program.inputs[1].kind = InputKind::Parameter;
  program.inputs[1].dims = {four, three};
  return sample;
}

std::unique_ptr<Sample> samples::productSample() {
  auto sample = std::make_unique<Sample>();
  Program &program = sample->program;
  program.device = DeviceKind::CUDA;
  program.name = "product";
  TableIndex one = sample->constant(1), two = sample->constant(2);
  TableIndex three = sample->constant(3), five = sample->constant(5);
  TableIndex seven = sample->constant(7), biasBytes = sample->constant(28);
  TableIndex xBytes = sample->constant(2 * 3 * 5 * 4);
  TableIndex wBytes = sample->constant(2 * 7 * 5 * 4);
  TableIndex yBytes = sample->constant(2 * 3 * 7 * 4);
  program.inputs = {
      {"x", InputKind::Argument, DType::F32, {two, three, five}, 0},
      {"w", InputKind::Argument, DType::F32, {two, seven, five}, 0}};
  program.outputs = {{"y", DType::F32, {two, three, seven}, 0}};
  addWhys(program);
  sample->constants.assign(28, 0);
  program.constants = sample->constants;
  sample->image.assign(64, 0x7f);
  program.imageData = sample->image;
  program.images = {{ImageKind::Cubin, "sm_90a", 0, 64}};
  program.buffers = {{BufferKind::Input, 0, 0, 0},
                     {BufferKind::Input, 1, 0, 0},
                     {BufferKind::Constant, 0, 0, 28},
                     {BufferKind::Output, 0, 0, 0}};
  constexpr auto buffer = uint8_t(ArgKind::Buffer);
  program.kernels = {
      {"gemm",
       0,
       {128, 1, 1},
       {1, 1, 1},
       0,
       {uint8_t(ArgKind::Size), buffer, buffer, buffer, buffer}}};
  MatrixProduct product{1,    2,    4, 3, DType::F32, DType::F32, false,
                        true, true, 2, 3, 7,          5};
  program.products = {product};
  program.launches = {Launch{
      0,
      {two, one, one},
      {{ArgKind::Size, five},
       {ArgKind::Buffer, 0},
       {ArgKind::Buffer, 1},
       {ArgKind::Buffer, 2},
       {ArgKind::Buffer, 3}},
      {{true, false, xBytes},
       {true, false, wBytes},
       {true, false, biasBytes},
       {false, true, yBytes}},
      0,
      false,
      false,
      0,
      {{WorkKind::ProductsTF32, DType::F32, 0, 2, {two, three, seven, five}}}}};
  return sample;
}

/// What both plugins have in common: one launch without a kernel.
static std::unique_ptr<Sample> pluginSample() {
  auto sample = std::make_unique<Sample>();
  Program &program = sample->program;
  program.name = "plugin";
  program.symbols = {{0, 0, 0, 2, 4, ""}};
  TableIndex batch = sample->symbol(0), one = sample->constant(1);
  TableIndex bytes = sample->binary(SizeOp::Mul, batch, sample->constant(4));
  program.inputs = {{"x", InputKind::Argument, DType::F32, {batch}, 0}};
  program.outputs = {{"y", DType::F32, {batch}, 0}};
  addWhys(program);
  program.buffers = {{BufferKind::Input, 0, 0, 0},
                     {BufferKind::Output, 0, 0, 0}};
  TableIndex small = sample->constant(-3), large = sample->constant(INT64_MIN);
  program.launches = {Launch{0,
                             {one, one, one},
                             {{ArgKind::Buffer, 0},
                              {ArgKind::Buffer, 1},
                              {ArgKind::Size, batch},
                              {ArgKind::Value32, small},
                              {ArgKind::Value64, large}},
                             {{true, false, bytes}, {false, true, bytes}},
                             0}};
  return sample;
}

static std::vector<uint8_t> kindsOf(const Launch &launch) {
  std::vector<uint8_t> kinds;
  for (const Arg &arg : launch.args)
    kinds.push_back(uint8_t(arg.kind));
  return kinds;
}

std::unique_ptr<Sample> samples::hostPluginSample() {
  auto sample = pluginSample();
  Program &program = sample->program;
  program.kernels = {{"copy",
                      0,
                      {1, 1, 1},
                      {1, 1, 1},
                      0,
                      kindsOf(program.launches[0]),
                      "identity",
                      "libidentity.so"}};
  return sample;
}

std::unique_ptr<Sample> samples::cudaPluginSample() {
  auto sample = pluginSample();
  Program &program = sample->program;
  program.device = DeviceKind::CUDA;
  sample->image.assign(64, ' ');
  sample->image.back() = 0;
  program.imageData = sample->image;
  program.images = {{ImageKind::PTX, "sm_90a", 0, 64}};
  Launch &launch = program.launches[0];
  launch.args.push_back({ArgKind::Size32, program.inputs[0].dims[0]});
  program.kernels = {
      {"copy_f32", 0, {32, 1, 1}, {1, 1, 1}, 16, kindsOf(launch), "identity"}};
  return sample;
}

std::vector<uint8_t> samples::container(const Sample &sample) {
  VectorSink sink;
  if (!serialize(sample.program, sink).isOk())
    return {};
  return sink.data;
}

static uint64_t number(const std::vector<uint8_t> &bytes, uint64_t at) {
  uint64_t value = 0;
  std::memcpy(&value, &bytes[at], 8);
  return value;
}

static void putHash(std::vector<uint8_t> &bytes, uint64_t at, Hash128 hash) {
  std::memcpy(&bytes[at], &hash.low, 8);
  std::memcpy(&bytes[at + 8], &hash.high, 8);
}

void samples::repairHashes(std::vector<uint8_t> &bytes) {
  if (bytes.size() < executableHeaderBytes)
    return;
  uint64_t count = number(bytes, 8) >> 32;
  uint64_t fits =
      (bytes.size() - executableHeaderBytes) / executableSectionBytes;
  count = std::min(count, fits);
  std::span<const uint8_t> all(bytes);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t row = executableHeaderBytes + i * executableSectionBytes;
    uint64_t offset = number(bytes, row + 8), size = number(bytes, row + 16);
    if (offset <= bytes.size() && size <= bytes.size() - offset)
      putHash(bytes, row + 24, treeHash(all.subspan(offset, size), 1));
  }
  std::vector<uint8_t> hashed(bytes.begin(), bytes.begin() + 48);
  hashed.insert(hashed.end(), bytes.begin() + executableHeaderBytes,
                bytes.begin() + executableHeaderBytes +
                    count * executableSectionBytes);
  putHash(bytes, 48, hashBytes(hashed));
}
