//===- PluginTest.cpp - Kernels that users bring, in files ----------------===//

#include "VerifyCases.h"
#include "tripy/Base/Cubin.h"

using namespace tripy;
using namespace tripy::samples;

//===-- programs ----------------------------------------------------------===//

namespace {

class VerifyHostPlugin : public testing::TestWithParam<VerifyCase> {};
class VerifyCudaPlugin : public testing::TestWithParam<VerifyCase> {};

Kernel &kernel(Sample &sample) { return sample.program.kernels[0]; }
Launch &launch(Sample &sample) { return sample.program.launches[0]; }

const VerifyCase host[] = {
    {"no library", [](Sample &s) { kernel(s).library.clear(); },
     "a program with kernels must have an image"},
    {"library text", [](Sample &s) { kernel(s).library = "a\nb"; },
     "kernel 0: the library: must be UTF-8 without control characters"},
    {"library long", [](Sample &s) { kernel(s).library.assign(1025, 'a'); },
     "kernel 0: the library: may have at most 1024 bytes", Code::LimitExceeded},
    {"plugin text", [](Sample &s) { kernel(s).plugin = "\x1b[2J"; },
     "kernel 0: the plugin: must be UTF-8 without control characters"},
    {"entry", [](Sample &s) { kernel(s).entry = 8; },
     "kernel 0: a function of a plugin library is for the CPU, and has no "
     "entry and no scratch memory, but has 8 and 0"},
    {"scratch", [](Sample &s) { kernel(s).scratchBytes = 64; }, "has 0 and 64"},
    {"symbol", [](Sample &s) { kernel(s).symbol.clear(); },
     "each entry point must have a name"},
    {"int32 size",
     [](Sample &s) {
       kernel(s).params[2] = uint8_t(ArgKind::Size32);
       launch(s).args[2].kind = ArgKind::Size32;
     },
     "kernel 0: unknown kind of parameter 4"},
    {"value of a size",
     [](Sample &s) { launch(s).args[4].index = launch(s).args[2].index; },
     "launch 0: argument 4 must be a constant, but is expression 0"},
    {"value of no expression", [](Sample &s) { launch(s).args[3].index = 99; },
     "launch 0: argument 3 must be one of"},
    {"large value of 32 bits",
     [](Sample &s) { launch(s).args[3].index = s.constant(1LL << 31); },
     "launch 0: argument 3 must fit 32 bits, but may be from 2147483648"},
    {"writes its operand",
     [](Sample &s) { launch(s).accesses[0].writes = true; },
     "launch 0: may write outputs and the arena only"},
};

const VerifyCase cuda[] = {
    {"library", [](Sample &s) { kernel(s).library = "libidentity.so"; },
     "kernel 0: a function of a plugin library is for the CPU"},
    {"large size of 32 bits",
     [](Sample &s) { s.program.symbols[0].max = (int64_t(1) << 31); },
     "launch 0: argument 5 must fit 32 bits, but may be from 0 to 2147483648"},
    {"small value of 32 bits",
     [](Sample &s) { launch(s).args[3].index = s.constant(-(1LL << 31) - 1); },
     "launch 0: argument 3 must fit 32 bits, but may be from -2147483649"},
    {"unknown kind", [](Sample &s) { kernel(s).params[5] = 7; },
     "kernel 0: unknown kind of parameter 7"},
    {"other kind", [](Sample &s) { launch(s).args[5].kind = ArgKind::Size; },
     "launch 0: argument 5 must be of kind 4, but is of 2"},
};

} // namespace

TEST_P(VerifyHostPlugin, IsRefused) {
  expectRefused(*hostPluginSample(), GetParam());
}
INSTANTIATE_TEST_SUITE_P(Plugins, VerifyHostPlugin, testing::ValuesIn(host),
                         verifyCaseName);

TEST_P(VerifyCudaPlugin, IsRefused) {
  expectRefused(*cudaPluginSample(), GetParam());
}
INSTANTIATE_TEST_SUITE_P(Plugins, VerifyCudaPlugin, testing::ValuesIn(cuda),
                         verifyCaseName);

TEST(Plugin, ParametersOf32BitsLieClose) {
  // 4096 bytes: 512 of 8, but 1024 would be too many arguments.
  auto sample = cudaPluginSample();
  std::vector<uint8_t> &params = kernel(*sample).params;
  while (params.size() < 512) {
    params.push_back(uint8_t(ArgKind::Value32));
    launch(*sample).args.push_back(launch(*sample).args[3]);
  }
  EXPECT_TRUE(verifyProgram(sample->program).isOk());
}

//===-- cubins ------------------------------------------------------------===//

namespace {

/// An ELF file of the machine 190 with a table of symbols: a local function,
/// a global object, and the global functions "k" and "scale".
class SmallCubin {
public:
  explicit SmallCubin(uint8_t version = 8, uint32_t flags = 0x06005a04) {
    bytes.resize(headerSize);
    put(0, 0x464c457f, 4);
    put(4, 2, 1);
    put(5, 1, 1);
    put(8, version, 1);
    put(18, 190, 2);
    put(48, flags, 4);
    uint64_t names = append("\0local\0object\0k\0scale\0", 22);
    uint64_t symbols = bytes.size();
    symbol(1, 0x02, 1);
    symbol(7, 0x11, 1);
    symbol(14, 0x12, 1);
    symbol(16, 0x12, 1);
    // Not defined here.
    symbol(16, 0x12, 0);
    uint64_t table = bytes.size();
    section(0, 0, 0, 0);
    section(3, names, 22, 0);
    section(2, symbols, 5 * 24, 1);
    put(40, table, 8);
    put(58, 64, 2);
    put(60, 3, 2);
  }
  std::vector<uint8_t> bytes;

private:
  static constexpr size_t headerSize = 64;
  void put(size_t at, uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i)
      bytes[at + i] = uint8_t(value >> (8 * i));
  }
  uint64_t append(const char *text, size_t size) {
    uint64_t at = bytes.size();
    bytes.insert(bytes.end(), text, text + size);
    return at;
  }
  void symbol(uint32_t name, uint8_t kind, uint16_t section) {
    size_t at = bytes.size();
    bytes.resize(at + 24);
    put(at, name, 4);
    put(at + 4, kind, 1);
    put(at + 6, section, 2);
  }
  void section(uint32_t type, uint64_t offset, uint64_t size, uint32_t link) {
    size_t at = bytes.size();
    bytes.resize(at + 64);
    put(at + 4, type, 4);
    put(at + 24, offset, 8);
    put(at + 32, size, 8);
    put(at + 40, link, 4);
  }
};

} // namespace

TEST(Cubin, ArchitectureAndFunctions) {
  Result<CubinInfo> info = readCubin(SmallCubin().bytes);
  ASSERT_TRUE(info) << info.status().message();
  EXPECT_EQ(info->architecture, 90u);
  EXPECT_EQ(info->functions, (std::vector<std::string>{"k", "scale"}));
  // Before version 8, the architecture is the lowest byte.
  info = readCubin(SmallCubin(7, 0x500550).bytes);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->architecture, 80u);
}

TEST(Cubin, OtherFilesAreRefused) {
  std::vector<uint8_t> other = SmallCubin().bytes;
  other[18] = 62;
  EXPECT_NE(readCubin(other).status().message().find("found machine 62"),
            std::string::npos);
  EXPECT_EQ(readCubin({}).status().code(), Code::Malformed);
}

TEST(Cubin, ShorterFilesAreRefused) {
  std::vector<uint8_t> whole = SmallCubin().bytes;
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(readCubin(std::span(whole).first(size))) << size;
}

/// Whatever a byte is, the file is read or refused.
TEST(Cubin, ChangedBytes) {
  std::vector<uint8_t> whole = SmallCubin().bytes;
  size_t read = 0;
  for (size_t at = 0; at < whole.size(); ++at)
    for (uint8_t change : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> changed = whole;
      changed[at] ^= change;
      read += bool(readCubin(changed));
    }
  EXPECT_GT(read, 0u);
}
