//===- IOSafeTensorsTest.cpp - Reading and writing .safetensors -----------===//

#include "../ProcessorTime.h"
#include "IOTestUtil.h"

#include "tripy/Runtime/IO/SafeTensors.h"

#include <sys/resource.h>
#include <sys/wait.h>

using namespace tripy;
using namespace tripy::io;
using namespace tripy::iotest;

namespace {

struct Case {
  const char *name;
  std::string header;
  size_t data;
  Code code;
  /// A part of the message.
  const char *text;
};

/// One tensor "a" with these fields.
std::string one(std::string fields) { return "{\"a\":{" + fields + "}}"; }

std::string entry(std::string name, std::string shape, int begin, int end,
                  std::string dtype = "F32") {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":[" + shape +
         "],\"data_offsets\":[" + std::to_string(begin) + "," +
         std::to_string(end) + "]}";
}

std::vector<Case> jsonCases() {
  std::string good = entry("a", "2", 0, 8);
  return {
      {"empty header", "", 0, Code::Malformed, "starts with '{'"},
      {"array", "[]", 0, Code::Malformed, "starts with '{'"},
      {"leading space", " {}", 0, Code::Malformed, "starts with '{'"},
      {"byte order mark", "\xef\xbb\xbf{}", 0, Code::Malformed, "starts with"},
      {"unclosed", "{" + good, 8, Code::Malformed, "expected ','"},
      {"text after", "{" + good + "}x", 8, Code::Malformed, "closing"},
      {"second object", "{" + good + "}{}", 8, Code::Malformed, "closing"},
      {"NUL padding", "{" + good + "}" + std::string(1, '\0'), 8,
       Code::Malformed, "closing"},
      {"trailing comma", "{" + good + ",}", 8, Code::Malformed,
       "expected '\"'"},
      {"missing comma", "{" + good + entry("b", "0", 8, 8) + "}", 8,
       Code::Malformed, "expected ','"},
      {"missing colon", "{\"a\" {}}", 0, Code::Malformed, "expected ':'"},
      {"unquoted key", "{a:{}}", 0, Code::Malformed, "expected '\"'"},
      {"tensor is a number", "{\"a\":1}", 0, Code::Malformed, "expected '{'"},
      {"tensor is null", "{\"a\":null}", 0, Code::Malformed, "expected '{'"},
      {"deep nesting", "{\"a\":" + std::string(100000, '{'), 0, Code::Malformed,
       "expected '\"'"},
      {"deep arrays", "{\"a\":{\"shape\":" + std::string(100000, '['), 0,
       Code::Malformed, "non-negative integer"},
      {"comment", "{/**/}", 0, Code::Malformed, "expected '\"'"},
      {"raw control character", "{\"a\n\":{}}", 0, Code::Malformed,
       "control character"},
      {"unknown escape", "{\"\\q\":{}}", 0, Code::Malformed, "unknown escape"},
      {"cut escape", "{\"\\u12\":{}}", 0, Code::Malformed, "hexadecimal"},
      {"lone surrogate", "{\"\\ud800x\":{}}", 0, Code::Malformed, "surrogate"},
      {"lone low surrogate", "{\"\\udc00\":{}}", 0, Code::Malformed,
       "surrogate"},
      {"two high surrogates", "{\"\\ud800\\ud800\":{}}", 0, Code::Malformed,
       "surrogate"},
      {"escaped NUL", "{\"a\\u0000b\":{}}", 0, Code::Malformed, "NUL"},
      {"bad UTF-8", "{\"\xc3\x28\":{}}", 0, Code::Malformed, "UTF-8"},
      {"overlong UTF-8", "{\"\xc0\xaf\":{}}", 0, Code::Malformed, "UTF-8"},
      {"UTF-8 surrogate", "{\"\xed\xa0\x80\":{}}", 0, Code::Malformed, "UTF-8"},
      {"unclosed string", "{\"a", 0, Code::Malformed, "closing quote"},
      {"empty name", "{" + entry("", "2", 0, 8) + "}", 8, Code::Malformed,
       "empty"},
  };
}

/// One tensor of f32 with this shape and these offsets.
std::string with(std::string shape, std::string offsets) {
  return one("\"dtype\":\"F32\",\"shape\":" + shape +
             ",\"data_offsets\":" + offsets);
}

std::vector<Case> shapeCases() {
  return {
      {"negative dimension", with("[-2]", "[0,8]"), 8, Code::Malformed,
       "non-negative"},
      {"fractional dimension", with("[2.0]", "[0,8]"), 8, Code::Malformed,
       "integer"},
      {"exponent", with("[2e0]", "[0,8]"), 8, Code::Malformed, "integer"},
      {"leading zero", with("[02]", "[0,8]"), 8, Code::Malformed,
       "leading zero"},
      {"plus sign", with("[+2]", "[0,8]"), 8, Code::Malformed, "non-negative"},
      {"hexadecimal", with("[0x2]", "[0,8]"), 8, Code::Malformed, "expected"},
      {"2^63", with("[9223372036854775808]", "[0,8]"), 8, Code::Malformed,
       "2^63"},
      {"2^64 + 2", with("[18446744073709551618]", "[0,8]"), 8, Code::Malformed,
       "2^63"},
      {"product overflow", with("[4294967296,4294967296,2]", "[0,8]"), 8,
       Code::Malformed, "overflows"},
      {"product wraps to 8", with("[4611686018427387906]", "[0,8]"), 8,
       Code::Malformed, "overflows"},
      {"overflow times zero", with("[9223372036854775807,9,0]", "[0,0]"), 0,
       Code::Malformed, "overflows"},
      {"rank 9", with("[1,1,1,1,1,1,1,1,2]", "[0,8]"), 8, Code::LimitExceeded,
       "8 dimensions"},
      {"shape is a number", with("2", "[0,8]"), 8, Code::Malformed,
       "expected '['"},
      {"nested shape", with("[[2]]", "[0,8]"), 8, Code::Malformed,
       "non-negative"},
  };
}

std::vector<Case> fieldCases() {
  std::string d = "\"dtype\":\"F32\"", s = "\"shape\":[2]",
              o = "\"data_offsets\":[0,8]";
  return {
      {"no dtype", one(s + "," + o), 8, Code::Malformed, "'dtype' is missing"},
      {"no shape", one(d + "," + o), 8, Code::Malformed, "'shape' is missing"},
      {"no offsets", one(d + "," + s), 8, Code::Malformed,
       "'data_offsets' is missing"},
      {"field twice", one(d + "," + d + "," + s + "," + o), 8, Code::Malformed,
       "'dtype' appears twice"},
      {"unknown field", one(d + "," + s + "," + o + ",\"x\":1"), 8,
       Code::Malformed, "found 'x'"},
      {"unknown dtype", one("\"dtype\":\"Q7\"," + s + "," + o), 8,
       Code::Unsupported, "element type 'Q7'"},
      {"lower-case dtype", one("\"dtype\":\"f32\"," + s + "," + o), 8,
       Code::Unsupported, "element type 'f32'"},
      {"dtype is a number", one("\"dtype\":5," + s + "," + o), 8,
       Code::Malformed, "expected '\"'"},
      {"one offset", with("[2]", "[0]"), 8, Code::Malformed, "expected ','"},
      {"three offsets", with("[2]", "[0,8,8]"), 8, Code::Malformed,
       "expected ']'"},
      {"negative offset", with("[2]", "[-8,0]"), 8, Code::Malformed,
       "non-negative"},
      {"reversed offsets", with("[2]", "[8,0]"), 8, Code::Malformed,
       "after their end"},
      {"too few bytes", with("[2]", "[0,4]"), 8, Code::Malformed, "needs 8"},
      {"too many bytes", with("[2]", "[0,12]"), 12, Code::Malformed, "needs 8"},
      {"beyond the file", with("[2]", "[0,8]"), 7, Code::Truncated,
       "the file has 7"},
      {"far beyond the file",
       with("[144115188075855872]", "[0,576460752303423488]"), 8,
       Code::Truncated, "the file has 8"},
      {"half a byte",
       one("\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":"
           "[0,1]"),
       1, Code::Malformed, "within a byte"},
      {"bool is 2",
       one("\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":"
           "[0,3]"),
       3, Code::Malformed, "0 or 1"},
  };
}

std::vector<Case> layoutCases() {
  auto two = [](std::string a, std::string b) {
    return "{" + a + "," + b + "}";
  };
  return {
      {"name twice", two(entry("a", "1", 0, 4), entry("a", "1", 4, 8)), 8,
       Code::Malformed, "'a' appears twice"},
      {"name twice, escaped",
       two(entry("a", "1", 0, 4), entry("\\u0061", "1", 4, 8)), 8,
       Code::Malformed, "'a' appears twice"},
      {"overlap", two(entry("a", "2", 0, 8), entry("b", "2", 4, 12)), 12,
       Code::Malformed, "overlaps"},
      {"same place", two(entry("a", "2", 0, 8), entry("b", "2", 0, 8)), 8,
       Code::Malformed, "overlaps"},
      {"hole", two(entry("a", "1", 0, 4), entry("b", "1", 8, 12)), 12,
       Code::Malformed, "leaves a hole"},
      {"hole at the start", "{" + entry("a", "1", 4, 8) + "}", 8,
       Code::Malformed, "leaves a hole"},
      {"trailing bytes", "{" + entry("a", "1", 0, 4) + "}", 5, Code::Malformed,
       "1 bytes follow"},
      {"data without tensors", "{}", 1, Code::Malformed, "1 bytes follow"},
      {"empty tensor in the middle of another",
       two(entry("a", "2", 0, 8), entry("b", "0", 4, 4)), 8, Code::Malformed,
       "overlaps"},
      {"metadata twice", "{\"__metadata__\":{},\"__metadata__\":{}}", 0,
       Code::Malformed, "appears twice"},
      {"metadata key twice", "{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}", 0,
       Code::Malformed, "'k' appears twice"},
      {"nested metadata", "{\"__metadata__\":{\"k\":{}}}", 0, Code::Malformed,
       "expected '\"'"},
      {"metadata number", "{\"__metadata__\":{\"k\":1}}", 0, Code::Malformed,
       "expected '\"'"},
      {"metadata is text", "{\"__metadata__\":\"k\"}", 0, Code::Malformed,
       "expected '{'"},
  };
}

void expectRefused(const std::vector<Case> &cases) {
  for (const Case &c : cases) {
    Result<SafeTensors> file =
        SafeTensors::parse(safetensors(c.header, c.data));
    ASSERT_FALSE(file) << c.name;
    EXPECT_EQ(codeName(file.status().code()), codeName(c.code))
        << c.name << ": " << file.status().message();
    EXPECT_NE(file.status().message().find(c.text), std::string::npos)
        << c.name << ": " << file.status().message();
  }
}

} // namespace

TEST(SafeTensors, RefusesBadJson) { expectRefused(jsonCases()); }
TEST(SafeTensors, RefusesBadShapes) { expectRefused(shapeCases()); }
TEST(SafeTensors, RefusesBadFields) { expectRefused(fieldCases()); }
TEST(SafeTensors, RefusesBadLayouts) { expectRefused(layoutCases()); }

TEST(SafeTensors, HasSeventyAttackCases) {
  EXPECT_GE(jsonCases().size() + shapeCases().size() + fieldCases().size() +
                layoutCases().size(),
            70u);
}

TEST(SafeTensors, RefusesBadFrames) {
  auto code = [](const Bytes &bytes) {
    Result<SafeTensors> file = SafeTensors::parse(bytes);
    return file ? Code::Ok : file.status().code();
  };
  EXPECT_EQ(code({}), Code::Truncated);
  EXPECT_EQ(code({2, 0, 0, 0, 0, 0, 0}), Code::Truncated);
  EXPECT_EQ(code({3, 0, 0, 0, 0, 0, 0, 0, '{', '}'}), Code::Truncated);
  EXPECT_EQ(code({1, 0xe1, 0xf5, 5, 0, 0, 0, 0, '{'}), Code::LimitExceeded);
  EXPECT_EQ(code(Bytes(8, 0xff)), Code::LimitExceeded);
  EXPECT_EQ(code({0, 0xe1, 0xf5, 5, 0, 0, 0, 0, '{'}), Code::Truncated);
  EXPECT_EQ(code(bytesOf("PK\x03\x04 this is no such file")),
            Code::LimitExceeded);
}

TEST(SafeTensors, ReadsWhatIsThere) {
  Bytes bytes = safetensors(
      "{\"__metadata__\":{\"format\":\"pt\",\"\\u00e9\":\"\\ud83d\\ude00\"},"
      " \"b\" : {\"shape\":[2 , 1],\"data_offsets\":[ 4,\t8 ],\"dtype\":"
      "\"F16\"},\n" +
          entry("a", "1", 0, 4) + "," + entry("empty", "3,0", 8, 8) + "," +
          entry("foreign", "1", 8, 16, "U64") + "," +
          entry("scalar", "", 16, 20) + "}   ",
      20);
  Result<SafeTensors> file = SafeTensors::parse(bytes);
  ASSERT_TRUE(file) << file.status().message();
  ASSERT_EQ(file->tensors().size(), 5u);
  EXPECT_EQ(file->metadata()[1].second, "\xf0\x9f\x98\x80");
  Result<HostTensor> b = file->read("b");
  ASSERT_TRUE(b);
  EXPECT_EQ(b->dtype(), DType::F16);
  EXPECT_EQ(b->shape(), (Shape{2, 1}));
  EXPECT_EQ(b->data()[0], 4);
  EXPECT_EQ(file->describe("b")->shape, (Shape{2, 1}));
  EXPECT_EQ(file->describe("scalar")->shape.rank(), 0u);
  EXPECT_EQ(file->find("empty")->bytes, 0u);
  EXPECT_EQ(file->read("empty")->elements(), 0u);
  for (const char *name : {"foreign", "scaler"}) {
    Code code = name[0] == 'f' ? Code::Unsupported : Code::NotFound;
    EXPECT_EQ(file->describe(name).status().code(), code);
    EXPECT_EQ(file->read(name).status().code(), code);
  }
  EXPECT_NE(file->read("scaler").status().message().find("'scalar'"),
            std::string::npos);
}

TEST(SafeTensors, EmptyTensorsMayShareAPlace) {
  Bytes bytes = safetensors(
      "{" + entry("z", "0", 0, 0) + "," + entry("a", "1", 0, 4) + "," +
          entry("y", "0", 0, 0) + "," + entry("x", "0", 4, 4) + "}",
      4);
  Result<SafeTensors> file = SafeTensors::parse(bytes);
  ASSERT_TRUE(file) << file.status().message();
  EXPECT_EQ(file->tensors()[2].name, "a");
}

TEST(SafeTensors, EveryMutationIsSurvived) {
  Bytes bytes =
      safetensors("{\"__metadata__\":{\"k\":\"\\u00e9\"}," +
                      entry("b", "2,1", 4, 8, "F16") + "," +
                      entry("a", "1", 0, 4) + "," + entry("c", "0", 8, 8) + "}",
                  8);
  size_t accepted = 0;
  size_t count = mutate(bytes, [&](const Bytes &changed) {
    Result<SafeTensors> file = SafeTensors::parse(changed);
    if (!file) {
      EXPECT_FALSE(file.status().message().empty());
      return;
    }
    ++accepted;
    // What is accepted can be read in full.
    size_t sum = 0;
    for (const SafeTensor &tensor : file->tensors()) {
      Result<HostTensor> read = file->read(tensor.name);
      EXPECT_EQ(bool(read), tensor.dtype.has_value());
      if (read)
        for (uint8_t byte : read->span())
          sum += byte;
    }
    EXPECT_LT(sum, size_t(1) << 20);
  });
  EXPECT_EQ(count, bytes.size() * 12);
  EXPECT_GT(accepted, 0u) << "changes of the data are legal";
  EXPECT_LT(accepted, count / 2);
}

/// In proportion eight times the entries take eight times as long, and more
/// where caches end; with the square they would take 64 times as long.
TEST(SafeTensors, TimeGrowsWithEntries) {
  auto timeOf = [](int count) {
    std::string header = "{";
    for (int i = 0; i < count; ++i)
      header += (i ? "," : "") +
                entry("layer." + std::to_string(i), "1", 4 * i, 4 * i + 4);
    Bytes bytes = safetensors(header + "}", size_t(count) * 4);
    return leastTime([&] {
      Result<SafeTensors> file = SafeTensors::parse(bytes);
      ASSERT_TRUE(file) << file.status().message();
      std::string last = "layer." + std::to_string(count - 1);
      EXPECT_NE(file->find(last), nullptr);
      EXPECT_EQ(file->find("layer.x"), nullptr);
    });
  };
  double eighth = timeOf(12500), whole = timeOf(100000);
  EXPECT_LT(whole, 30 * eighth);
}

TEST(SafeTensors, WritesWhatItReads) {
  TemporaryFolder folder;
  HostTensor x = floats({2, 2}, {1, 2, 3, 4}), empty = floats({0, 7}, {});
  Result<HostTensor> flags = HostTensor::create(DType::Bool, {3});
  ASSERT_TRUE(flags);
  std::memcpy(flags->data(), "\1\0\1", 3);
  NamedTensor tensors[] = {{"flags", flags->view()},
                           {"we\"ight\n", x.view()},
                           {"empty", empty.view()}};
  std::string path = folder.path("w.safetensors");
  Status status = writeSafeTensors(path, tensors, {{"k", "v\t"}});
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(folder.files(), 1u);
  Result<SafeTensors> file = SafeTensors::open(path);
  ASSERT_TRUE(file) << file.status().message();
  ASSERT_EQ(file->tensors().size(), 3u);
  EXPECT_EQ(file->metadata(), (MetadataView{{"k", "v\t"}}));
  const SafeTensor *weight = file->find("we\"ight\n");
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight->offset % 8, 0u);
  EXPECT_EQ(std::memcmp(file->read(weight->name)->data(), x.data(), 16), 0);
  EXPECT_EQ(file->read("flags")->data()[2], 1);
}

TEST(SafeTensors, AFileThatBecomesShorter) {
  TemporaryFolder folder;
  std::string path = folder.path("w.safetensors");
  HostTensor x = floats({2, 2}, {1, 2, 3, 4});
  NamedTensor tensors[] = {{"a", x.view()}};
  ASSERT_TRUE(writeSafeTensors(path, tensors).isOk());
  Result<SafeTensors> file = SafeTensors::open(path);
  ASSERT_TRUE(file) << file.status().message();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  Status status = file->read("a").status();
  EXPECT_EQ(status.code(), Code::Io) << status.message();
  EXPECT_NE(status.message().find("became shorter"), std::string::npos);
}

TEST(SafeTensors, BoolsAreCheckedWhenTheyAreRead) {
  TemporaryFolder folder;
  std::string path = folder.path("w.safetensors");
  Bytes bytes = safetensors("{" + entry("a", "3", 0, 3, "BOOL") + "}", 3);
  EXPECT_EQ(SafeTensors::parse(bytes).status().code(), Code::Malformed);
  writeBytes(path, bytes);
  Result<SafeTensors> file = SafeTensors::open(path);
  ASSERT_TRUE(file) << file.status().message();
  EXPECT_EQ(file->read("a").status().code(), Code::Malformed);
}

/// Bytes of memory at most, in a process that opens the file.
static uint64_t memoryToOpen(const std::string &path) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  pid_t child = ::fork();
  if (child == 0) {
    auto peak = [] {
      struct rusage usage;
      ::getrusage(RUSAGE_SELF, &usage);
      return uint64_t(usage.ru_maxrss) * 1024;
    };
    uint64_t before = peak();
    bool good = bool(SafeTensors::open(path));
    uint64_t taken = good ? peak() - before : UINT64_MAX;
    ::_exit(::write(ends[1], &taken, sizeof(taken)) == sizeof(taken) ? 0 : 1);
  }
  uint64_t taken = 0;
  EXPECT_EQ(::read(ends[0], &taken, sizeof(taken)), ssize_t(sizeof(taken)));
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  return taken;
}

TEST(SafeTensors, MemoryIsASmallFactorOfTheHeader) {
  TemporaryFolder folder;
  std::string path = folder.path("w.safetensors");
  const size_t length = 16 << 20;
  auto number = [](size_t i) { return std::to_string(i); };
  // As many of the smallest entries as there can be.
  std::string tensors = "{", texts = "{\"__metadata__\":{";
  for (size_t i = 0; tensors.size() < length; ++i)
    tensors += (i ? "," : "") + entry(number(i), "0", 0, 0, "I8");
  for (size_t i = 0; texts.size() < length; ++i)
    texts += (i ? ",\"" : "\"") + number(i) + "\":\"\"";
  for (std::string header : {tensors + "}", texts + "}}"}) {
    {
      Bytes bytes = safetensors(header, 0);
      writeBytes(path, bytes);
    }
    EXPECT_LT(memoryToOpen(path), 6 * header.size());
  }
}

TEST(SafeTensors, WriterRefusesBadNames) {
  TemporaryFolder folder;
  HostTensor x = floats({1}, {1});
  std::string path = folder.path("w.safetensors");
  auto code = [&](std::vector<std::string> names) {
    std::vector<NamedTensor> tensors;
    for (std::string &name : names)
      tensors.push_back({name, x.view()});
    return writeSafeTensors(path, tensors).code();
  };
  EXPECT_EQ(code({""}), Code::InvalidArgument);
  EXPECT_EQ(code({"__metadata__"}), Code::InvalidArgument);
  EXPECT_EQ(code({"\xff"}), Code::InvalidArgument);
  EXPECT_EQ(code({"a", "b", "a"}), Code::InvalidArgument);
  TensorView onGpu = x.view();
  onGpu.device = DeviceKind::CUDA;
  NamedTensor tensors[] = {{"a", onGpu}};
  EXPECT_EQ(writeSafeTensors(path, tensors).code(), Code::InvalidArgument);
  EXPECT_EQ(folder.files(), 0u);
}

TEST(SafeTensors, OpenNamesTheFile) {
  TemporaryFolder folder;
  std::string path = folder.path("bad.safetensors");
  writeBytes(path, safetensors("{}", 3));
  Result<SafeTensors> file = SafeTensors::open(path);
  ASSERT_FALSE(file);
  EXPECT_NE(file.status().message().find("bad.safetensors"), std::string::npos);
  EXPECT_FALSE(SafeTensors::open(folder.path("none")));
  EXPECT_FALSE(SafeTensors::open(folder.path("")));
}
