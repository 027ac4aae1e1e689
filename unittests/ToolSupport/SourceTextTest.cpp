//===- SourceTextTest.cpp - Lines of source files for diagnostics ---------===//

#include "tripy/ToolSupport/SourceText.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tripy;

namespace {

void expectExcerpt(StringRef line, unsigned column, unsigned end,
                   StringRef shown, StringRef marker) {
  Excerpt excerpt = makeExcerpt(line, column, end);
  EXPECT_EQ(excerpt.line, shown);
  EXPECT_EQ(excerpt.marker, marker);
}

TEST(Excerpt, MarksTheRangeOrTheWord) {
  expectExcerpt("  return a + b;", 10, 15, "  return a + b;", "         ^~~~~");
  expectExcerpt("  %0 = trace.add %a", 8, 0, "  %0 = trace.add %a",
                "       ^~~~~~~~~");
  expectExcerpt("a + b", 3, 0, "a + b", "  ^");
  expectExcerpt("a", 1, 0, "a", "^");
}

TEST(Excerpt, HasNoMarkerOutsideOfTheLine) {
  expectExcerpt("abc", 0, 0, "abc", "");
  expectExcerpt("abc", 4, 0, "abc", "");
  expectExcerpt("", 1, 0, "", "");
  expectExcerpt("abc", 4000000000u, 0, "abc", "");
  expectExcerpt("abc", 2, 4000000000u, "abc", " ^~");
}

TEST(Excerpt, CountsCharactersAndExpandsTabs) {
  expectExcerpt("\xC3\xA9 = x", 6, 0, "\xC3\xA9 = x", "    ^");
  expectExcerpt("\tab", 2, 0, "    ab", "    ^~");
  expectExcerpt("a\tb", 2, 3, "a    b", " ^~~~");
}

TEST(Excerpt, HidesWhatATerminalWouldObey) {
  expectExcerpt("a\x1b[31mb\r", 1, 0, "a?[31mb?", "^");
  // A control character of two bytes, and a byte that begins nothing.
  expectExcerpt("a\xC2\x9B b", 1, 0, "a? b", "^");
  expectExcerpt("a\xFF b", 1, 0, "a? b", "^");
}

TEST(Excerpt, CutsLongLines) {
  std::string line(1000, 'x');
  line[500] = '(';
  Excerpt excerpt = makeExcerpt(line, 501, 502);
  EXPECT_EQ(excerpt.line.size(), 126u);
  size_t mark = excerpt.marker.find('^');
  ASSERT_NE(mark, std::string::npos);
  EXPECT_EQ(excerpt.line[mark], '(');
  EXPECT_TRUE(StringRef(excerpt.line).starts_with("..."));
  EXPECT_TRUE(StringRef(excerpt.line).ends_with("..."));
  // The first and the last column.
  EXPECT_EQ(makeExcerpt(line, 1, 2).marker, "^");
  EXPECT_EQ(makeExcerpt(line, 1000).marker.size(), 123u);
}

TEST(SourceText, ReadsBuffersAndFiles) {
  SourceMgr sources;
  sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer("one\ntwo", "input"),
                             SMLoc());
  SourceText text(&sources);
  EXPECT_EQ(text.getLine("input", 1), "one");
  EXPECT_EQ(text.getLine("input", 2), "two");
  EXPECT_EQ(text.getLine("input", 3), std::nullopt);
  EXPECT_EQ(text.getLine("input", 0), std::nullopt);
  EXPECT_EQ(text.getLine("no such file", 1), std::nullopt);
  EXPECT_EQ(text.getLine("/dev/zero", 1), std::nullopt);
  EXPECT_EQ(text.getLine("/", 1), std::nullopt);
  EXPECT_EQ(text.getLine(std::string(100000, 'x'), 1), std::nullopt);

  int file;
  SmallString<128> path;
  ASSERT_FALSE(sys::fs::createTemporaryFile("source", "cpp", file, path));
  {
    raw_fd_ostream os(file, /*shouldClose=*/true);
    os << "first\n\nthird";
  }
  SourceText named(&sources, {path.str().str()});
  EXPECT_EQ(named.getLine(path, 1), "first");
  EXPECT_EQ(named.getLine(path, 2), "");
  EXPECT_EQ(named.getLine(path, 3), "third");
  EXPECT_EQ(named.getLine(path, 4000000000u), std::nullopt);
  // Neither named nor below the working folder.
  EXPECT_EQ(text.getLine(path, 1), std::nullopt);
  sys::fs::remove(path);
}

} // namespace
