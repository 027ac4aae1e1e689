//===- TextTest.cpp - Small helpers for messages --------------------------===//

#include "tripy/Base/Text.h"
#include "tripy/Base/DType.h"
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

} // namespace
