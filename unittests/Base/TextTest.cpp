//===- TextTest.cpp - Small helpers for messages --------------------------===//

#include "tripy/Base/Text.h"
#include "tripy/Base/DType.h"
#include "tripy/Base/Packed.h"
#include "tripy/Base/Status.h"

#include <gtest/gtest.h>
#include <set>

using namespace tripy;

namespace {

TEST(Text, Concat) {
  EXPECT_EQ(concat("a", 1, 'c', std::string("d"), -2), "a1cd-2");
}

TEST(Text, Formats) {
  EXPECT_EQ(formatBytes(1), "1 byte");
  EXPECT_EQ(formatBytes(1023), "1023 bytes");
  EXPECT_EQ(formatBytes(1536), "1.5 KiB");
  EXPECT_EQ(formatBytes(UINT64_MAX), "16.0 EiB");
  EXPECT_EQ(formatSeconds(1.5e-6), "1.50 us");
  EXPECT_EQ(formatSeconds(0.0125), "12.500 ms");
  EXPECT_EQ(formatSeconds(2), "2.000 s");
  EXPECT_EQ(formatSizes({}), "()");
  int64_t sizes[] = {5, 6};
  EXPECT_EQ(formatSizes(std::span(sizes, 1)), "(5,)");
  EXPECT_EQ(formatSizes(sizes), "(5, 6)");
}

TEST(Text, Utf8) {
  for (const char *good : {"", "x", "\xc3\xa9", "\xe2\x82\xac",
                           "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(isUtf8(good)) << good;
  for (const char *bad :
       {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80",
        "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xff", "a\xc3(", "\xe2\x82(",
        "\xf5\x80\x80\x80"})
    EXPECT_FALSE(isUtf8(bad)) << bad;
}

TEST(Text, MarksThatChangeTheDirectionAreNotPrintable) {
  // U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069.
  for (const char *mark : {"\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\x8f",
                           "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaa",
                           "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9"}) {
    EXPECT_FALSE(isPrintable(mark));
    EXPECT_EQ(printable(std::string("a") + mark + "b"), "a?b");
  }
  // Their neighbours, and right-to-left text itself.
  for (const char *good :
       {"\xd8\x9b", "\xe2\x80\x8d", "\xe2\x80\xaf", "\xe2\x81\xa5",
        "\xd7\xa9\xd7\x9c", "\xf0\x9f\x98\x80"})
    EXPECT_TRUE(isPrintable(good));
}

TEST(Text, Names) {
  EXPECT_TRUE(isName("x"));
  EXPECT_TRUE(isName("encoder.layers[0].weight"));
  EXPECT_TRUE(isName(std::string(maxNameBytes, 'a')));
  EXPECT_TRUE(isName("\xd7\xa9\xd7\x9c"));
  EXPECT_FALSE(isName(std::string(maxNameBytes + 1, 'a')));
  for (const char *bad : {"", "a b", "a\"", "a'", "`", "a=", "@a", "a,b", "a\n",
                          "\x7f", "\xc2\x80", "a\xe2\x80\xae", "\xff"})
    EXPECT_FALSE(isName(bad)) << bad;
}

TEST(Text, PrintableOutput) {
  EXPECT_EQ(printableOutput("a\n\nb\x1b[2J\n"), "a\n\nb?[2J\n");
  EXPECT_EQ(printableOutput("x\r\xff"), "x??");
  EXPECT_EQ(printableOutput(std::string(5000, 'x')), std::string(5000, 'x'));
  EXPECT_EQ(printableOutput(""), "");
}

TEST(Text, Printable) {
  EXPECT_TRUE(isPrintable("gr\xc3\xb6\xc3\x9f"));
  EXPECT_FALSE(isPrintable("a\nb"));
  EXPECT_FALSE(isPrintable("\x1b[2J"));
  EXPECT_FALSE(isPrintable("\x7f"));
  EXPECT_FALSE(isPrintable("\xc2\x9b"
                           "2J"));
  EXPECT_EQ(printable("a\x1b\xff"
                      "b"),
            "a??b");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("\xc3\xa9\xc3\xa9", 3), "\xc3\xa9...");
}

TEST(Text, PrintableLines) {
  EXPECT_EQ(printableLines("one", 10), "one");
  EXPECT_EQ(printableLines("one\n\x1b[2Jtwo\n", 20), "one\n    ?[2Jtwo");
  EXPECT_EQ(printableLines("error: x\nerror: y", 40), "error: x\n    error: y");
  EXPECT_EQ(printableLines("abcdef", 3), "abc...");
  EXPECT_EQ(printableLines("", 3), "");
}

TEST(Text, ParseBytes) {
  EXPECT_EQ(parseBytes("0"), 0u);
  EXPECT_EQ(parseBytes("512M"), uint64_t(512) << 20);
  EXPECT_EQ(parseBytes("17179869183G"), uint64_t(17179869183) << 30);
  for (std::string_view text : {"", "M", "-1", "1.5G", "1T", "1 G",
                                "17179869184G", "18446744073709551616"})
    EXPECT_EQ(parseBytes(text), std::nullopt) << text;
}

TEST(Text, EditDistance) {
  EXPECT_EQ(editDistance("", "abc"), 3u);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(editDistance("weihgt", "weight"), 1u);
  EXPECT_EQ(editDistance("same", "same"), 0u);
}

/// The limit changes no distance below it, whatever is compared.
TEST(Text, EditDistanceWithLimit) {
  std::vector<std::string> texts = {""};
  for (size_t i = 0; i < texts.size() && texts[i].size() < 4; ++i)
    for (char c : {'a', 'b', 'c'})
      texts.push_back(texts[i] + c);
  for (const std::string &a : texts)
    for (const std::string &b : texts) {
      size_t distance = editDistance(a, b);
      for (size_t limit = 0; limit < 6; ++limit)
        ASSERT_EQ(editDistance(a, b, limit), std::min(distance, limit))
            << a << ", " << b << ", " << limit;
    }
  std::string longText(1000, 'x');
  EXPECT_EQ(editDistance(longText, longText + "y"), 1u);
  EXPECT_EQ(editDistance(longText, "y" + longText, 2), 1u);
}

/// A long name is no reason to take anything for a misspelling of it.
TEST(Text, ClosestToALongName) {
  std::string wanted(1000, 'a'), other(1000, 'b');
  ClosestName closest(wanted);
  closest.consider(other);
  EXPECT_EQ(closest.best(), "");
}

TEST(Text, ClosestName) {
  ClosestName closest("hiden");
  for (const char *name : {"input", "hidden", "output"})
    closest.consider(name);
  EXPECT_EQ(closest.suggestion(), "; did you mean 'hidden'?");
  ClosestName far("zzz");
  far.consider("hidden");
  EXPECT_EQ(far.suggestion(), "");
  // One-letter names have nothing in common.
  ClosestName single("z");
  single.consider("x");
  EXPECT_EQ(single.suggestion(), "");
  std::string name(100000, 'a');
  ClosestName lengthy(name);
  lengthy.consider(name);
  EXPECT_FALSE(lengthy.best().empty());
}

TEST(Status, CodeNamesDiffer) {
  std::set<std::string_view> names;
  for (int code = 0; code <= int(Code::Internal); ++code)
    names.insert(codeName(Code(code)));
  EXPECT_EQ(names.size(), size_t(Code::Internal) + 1);
  EXPECT_EQ(codeName(Code(99)), "unknown code");
  EXPECT_EQ(codeName(Code::ShapeOutOfRange), "ShapeOutOfRange");
}

TEST(Status, Context) {
  Status status(Code::Io, "gone");
  EXPECT_EQ(std::move(status).withContext("'f'").message(), "'f': gone");
  Result<int> empty{Status()};
  EXPECT_FALSE(empty);
  EXPECT_EQ(empty.status().code(), Code::Internal);
}

TEST(DType, TableIsConsistent) {
  std::set<DType> seen;
  for (const DTypeInfo &info : dtypeTable) {
    EXPECT_TRUE(seen.insert(info.dtype).second);
    EXPECT_EQ(findDType(info.mlir, &DTypeInfo::mlir), info.dtype);
    EXPECT_EQ(findDType(info.name, &DTypeInfo::name), info.dtype);
  }
  EXPECT_EQ(findDTypeInfo(DType(0)), nullptr);
  EXPECT_FALSE(findDType("", &DTypeInfo::npy));
}

TEST(DType, ByteCounts) {
  EXPECT_EQ(byteCount(DType::F32, 5), 20u);
  EXPECT_EQ(byteCount(DType::F64, UINT64_MAX / 8), UINT64_MAX - 7);
  EXPECT_FALSE(byteCount(DType::F64, UINT64_MAX / 8 + 1));
  EXPECT_EQ(byteCount(DType::I4, 0), 0u);
  EXPECT_EQ(byteCount(DType::I4, 1), 1u);
  EXPECT_EQ(byteCount(DType::I4, 2), 1u);
  EXPECT_EQ(byteCount(DType::I4, 15), 8u);
  EXPECT_EQ(byteCount(DType::I4, UINT64_MAX), uint64_t(1) << 63);
}

TEST(DType, HalvesOfBytes) {
  EXPECT_EQ(unpackI4(0x7f, 0), -1);
  EXPECT_EQ(unpackI4(0x7f, 1), 7);
  EXPECT_EQ(unpackI4(0x80, 0), 0);
  EXPECT_EQ(unpackI4(0x80, 1), -8);
  EXPECT_EQ(packI4(0xff, 0, -8), 0xf8);
  EXPECT_EQ(packI4(0xff, 1, 3), 0x3f);
  for (int value = -8; value < 8; ++value)
    for (unsigned part : {0u, 1u}) {
      EXPECT_EQ(unpackI4(packI4(0xa5, part, value), part), value);
      EXPECT_EQ(unpackI4(packI4(0xa5, part, value), 1 - part),
                unpackI4(0xa5, 1 - part));
    }
}

TEST(DType, BytesOfPackedTensorsInFiles) {
  auto holds = [](std::vector<int64_t> shape, std::vector<int64_t> found) {
    return holdsPacked(DType::I4, shape, DType::U8, found);
  };
  EXPECT_TRUE(holds({3, 5}, {8}));
  EXPECT_FALSE(holds({3, 5}, {7}));
  EXPECT_FALSE(holds({3, 5}, {3, 2}));
  EXPECT_FALSE(holds({3, 5}, {3, 3}));
  EXPECT_TRUE(holds({3, 4}, {3, 2}));
  EXPECT_TRUE(holds({3, 4}, {6}));
  EXPECT_FALSE(holds({3, 4}, {2, 3}));
  EXPECT_TRUE(holds({}, {1}));
  EXPECT_TRUE(holds({0, 4}, {0, 2}));
  std::vector<int64_t> shape = {4}, half = {2};
  EXPECT_FALSE(holdsPacked(DType::I4, shape, DType::I8, half));
  EXPECT_FALSE(holdsPacked(DType::I4, shape, std::nullopt, half));
  EXPECT_FALSE(holdsPacked(DType::I8, shape, DType::U8, shape));
}

} // namespace
