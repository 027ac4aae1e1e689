//===- RunToolTextTest.cpp - What tripy-run prints is safe ----------------===//
//
// Control characters, bad UTF-8 and marks that change the direction of text in
// every text of the files that tripy-run reads: none reaches the terminal, and
// none starts a line.
//
//===----------------------------------------------------------------------===//

#include "RunToolTestUtil.h"
#include "tripy/Base/ExecutableFormat.h"
#include "tripy/Base/Text.h"
#include "tripy/Runtime/IO/Npy.h"

#include <cstring>
#include <functional>

using namespace tripy;
using namespace tripy::run;
using namespace tripy::runtests;

namespace {

const std::string evils[] = {
    "a\x1b[2Jb",      "a\nFORGED: line", "a\rFORGED",      "a\x7f",
    "a\xc2\x9b[2J",   "a\xff\xfe",       "a\xe2\x80\xaex", "a\xe2\x81\xa6x",
    "a\xe2\x80\xa8x", "\tFORGED",        "a\xc3",          "a\b\b\bFORGED"};

/// Nothing but printable text and the tool's own line feeds.
void expectSafe(const ToolResult &result, const std::string &what) {
  for (const std::string &text : {result.out, result.err}) {
    std::string lines = text;
    std::erase(lines, '\n');
    EXPECT_TRUE(isPrintable(lines)) << what << ": " << printableOutput(text);
    EXPECT_NE(text.rfind("FORGED", 0), 0u) << what;
    EXPECT_EQ(text.find("\nFORGED"), std::string::npos) << what;
  }
}

/// Each text of a program, to be changed.
std::vector<std::string *> textsOf(Program &program) {
  std::vector<std::string *> texts = {&program.name};
  for (InputDescription &input : program.inputs)
    texts.push_back(&input.name);
  for (OutputDescription &output : program.outputs)
    texts.push_back(&output.name);
  for (SizeSymbol &symbol : program.symbols)
    texts.push_back(&symbol.name);
  for (SizeCheck &check : program.checks)
    texts.push_back(&check.message);
  for (Image &image : program.images)
    texts.push_back(&image.arch);
  for (Kernel &kernel : program.kernels)
    texts.push_back(&kernel.symbol);
  for (WhyEntry &why : program.whys)
    for (WhyLine &line : why.lines)
      for (std::string *text :
           {&line.file, &line.operation, &line.reason, &line.function})
        texts.push_back(text);
  for (Frame &frame : program.frames)
    for (std::string *text : {&frame.file, &frame.function})
      texts.push_back(text);
  return texts;
}

/// Ways to damage what is around a text, so that it is printed in the messages
/// of the checks, too.
const std::function<void(Program &)> damages[] = {
    [](Program &) {},
    [](Program &program) {
      for (SizeSymbol &symbol : program.symbols)
        symbol.dim += 1;
    },
    [](Program &program) {
      for (InputDescription &input : program.inputs)
        input.kind = InputKind::Parameter;
    },
    [](Program &program) {
      // Neither a constant nor a symbol.
      for (InputDescription &input : program.inputs)
        for (TableIndex dim = 0; dim < program.exprs.size(); ++dim)
          if (program.exprs[dim].op != SizeOp::Constant &&
              program.exprs[dim].op != SizeOp::Symbol && !input.dims.empty())
            input.dims.back() = dim;
    },
    [](Program &program) {
      for (OutputDescription &output : program.outputs)
        output.dims.resize(20);
    },
    [](Program &program) {
      for (OutputDescription &output : program.outputs)
        output.dtype = DType(99);
    },
    [](Program &program) {
      for (Kernel &kernel : program.kernels)
        kernel.params.clear();
    },
    [](Program &program) {
      for (Launch &launch : program.launches)
        launch.accesses.clear();
    },
    [](Program &program) {
      for (InputDescription &input : program.inputs)
        input.name = program.inputs[0].name;
    },
    [](Program &program) {
      for (SizeCheck &check : program.checks)
        check.kind = CheckKind(99);
    }};

void runModes(const std::string &model, const std::string &what) {
  const std::vector<std::string> ones = {model, "--input", "x=ones:1x3",
                                         "--input", "y=ones:1x3"};
  for (std::vector<std::string> more :
       std::vector<std::vector<std::string>>{{},
                                             {"--profile=why"},
                                             {"--benchmark=1"},
                                             {"--benchmark=1", "--json"},
                                             {"--input", "x=ones"},
                                             {"--output", "sum=@none/o.npy"},
                                             {"--expect", "sum=@none.npy"},
                                             {"--device=cuda:0"},
                                             {"--no-host-code"},
                                             {"--weights=none"}}) {
    more.insert(more.begin(), ones.begin(), ones.end());
    expectSafe(callTool(more), what);
  }
  for (const std::vector<std::string> &arguments :
       std::vector<std::vector<std::string>>{
           {model},
           {model, "--info"},
           {model, "--input", "ones"},
           {model, "--input", "q=ones"},
           {model, "--input", "x=ones:9x9", "--input", "y=ones"},
           {model, "--input", "x=ones:1x3", "--input", "y=ones:2x3"},
           {model, "--output", "@o.npy"}})
    expectSafe(callTool(arguments), what);
}

TEST(RunToolText, EveryTextOfAnExecutable) {
  Folder folder;
  std::string model = folder.path("m.tpx");
  for (auto make :
       {&samples::cpuSample, &samples::cudaSample, &samples::productSample}) {
    size_t count = textsOf(make()->program).size();
    EXPECT_GE(count, 5u);
    for (size_t i = 0; i < count; ++i)
      for (size_t damage = 0; damage < std::size(damages); ++damage) {
        auto sample = make();
        // Each text with another evil in turn, so that all meet.
        *textsOf(sample->program)[i] = evils[(i + damage) % std::size(evils)];
        damages[damage](sample->program);
        ASSERT_TRUE(writeFile(model, samples::container(*sample)).isOk());
        runModes(model, concat("text ", i, ", damage ", damage));
      }
  }
}

TEST(RunToolText, EveryEvilInTheNamesOfAnExecutable) {
  Folder folder;
  std::string model = folder.path("m.tpx");
  for (const std::string &evil : evils) {
    auto sample = samples::cpuSample();
    for (InputDescription &input : sample->program.inputs)
      input.name = evil;
    damages[3](sample->program);
    ASSERT_TRUE(writeFile(model, samples::container(*sample)).isOk());
    ToolResult result = callTool({model, "--info"});
    EXPECT_EQ(result.status, 2);
    expectSafe(result, evil);
  }
}

TEST(RunToolText, NamesInTensorFilesAndArguments) {
  Folder folder;
  std::string model = folder.path("m.tpx"), npz = folder.path("x.npz"),
              weights = folder.path("x.safetensors"),
              npy = folder.path("x.npy");
  ASSERT_TRUE(
      writeFile(model, samples::container(*samples::cpuSample())).isOk());
  runtime::HostTensor x = ramp(DType::F32, {1, 3});
  for (const std::string &evil : evils) {
    auto read = [&](const std::string &spec) {
      expectSafe(
          callTool({model, "--input", "x=" + spec, "--input", "y=ones:1x3"}),
          spec);
      expectSafe(callTool({model, "--input", "x=ones:1x3", "--input",
                           "y=ones:1x3", "--expect", "sum=" + spec}),
                 spec);
    };
    // The writers refuse such names: they are put in afterwards.
    std::string place(evil.size(), 'n');
    io::NpzTensor array[] = {{place, x.view()}};
    ASSERT_TRUE(io::writeNpz(npz, array).isOk());
    std::string header = "{\"" + evil + "\":{\"dtype\":\"" + evil +
                         "\",\"shape\":[1,3],\"data_offsets\":[0,12]}}";
    std::vector<uint8_t> tensors(8 + header.size() + 12);
    tensors[0] = uint8_t(header.size());
    std::memcpy(&tensors[8], header.data(), header.size());
    ASSERT_TRUE(writeFile(weights, tensors).isOk());
    std::vector<uint8_t> bytes = *readFile(npz);
    for (size_t i = 0; i + evil.size() < bytes.size(); ++i)
      if (std::memcmp(&bytes[i], place.data(), place.size()) == 0)
        std::memcpy(&bytes[i], evil.data(), evil.size());
    ASSERT_TRUE(writeFile(npz, bytes).isOk());
    std::string text = "\x93NUMPY\x01" + std::string(1, '\0') + "\x60" +
                       std::string(1, '\0') + "{'descr': '" + evil + "', '" +
                       evil + "': 0, 'shape': (1,)}";
    text.resize(10 + 0x60, ' ');
    ASSERT_TRUE(writeFile(npy, {reinterpret_cast<const uint8_t *>(text.data()),
                                text.size()})
                    .isOk());
    for (const std::string &spec :
         {"@" + npz + ":" + evil, "@" + npz + ":none", "@" + weights + ":none",
          "@" + weights + ":" + evil, "@" + npy, evil, "@" + evil + ".npy",
          "@" + evil + ".npz:" + evil, "1xf32=" + evil, "ones:" + evil})
      read(spec);
    for (const char *option :
         {"--input=", "--output=", "--expect=", "--weights=", "--device=",
          "--profile=", "--seed=", "--rtol=", "--threads=", "--benchmark=",
          "--", ""})
      expectSafe(callTool({model, option + evil}), option);
    expectSafe(callTool({evil}), evil);
  }
}

} // namespace
