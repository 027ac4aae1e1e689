//===- SourceText.cpp - Lines of source files for diagnostics -------------===//

#include "tripy/ToolSupport/SourceText.h"

#include "tripy/Base/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace tripy;

static constexpr uint64_t maxFileBytes = 16 << 20;
static constexpr size_t maxColumns = 120;
static constexpr unsigned tabWidth = 4;

//===-- excerpts ----------------------------------------------------------===//

/// Whether a byte continues a character of UTF-8.
static bool isContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// The end of the word that starts at byte `start`.
static size_t wordEnd(StringRef line, size_t start) {
  size_t end = start;
  while (end < line.size() &&
         (isAlnum(line[end]) || StringRef("_.%@$#").contains(line[end])))
    ++end;
  return std::max(end, start + 1);
}

/// The part of a line that is near the column, as first byte and length.
static StringRef cutWindow(StringRef line, size_t column, bool &cutFront,
                           bool &cutBack) {
  size_t first = 0;
  if (line.size() > maxColumns && column > maxColumns / 2)
    first = std::min(column - maxColumns / 2, line.size() - maxColumns);
  while (first < line.size() && first && isContinuation(line[first]))
    --first;
  StringRef window = line.substr(first, maxColumns);
  cutFront = first > 0;
  cutBack = first + window.size() < line.size();
  return window;
}

Excerpt tripy::makeExcerpt(StringRef line, unsigned column,
                           unsigned endColumn) {
  bool marked = column > 0 && column <= line.size();
  size_t start = marked ? column - 1 : 0;
  size_t end = endColumn > column ? endColumn - 1 : wordEnd(line, start);
  bool cutFront, cutBack;
  StringRef window = cutWindow(line, start, cutFront, cutBack);
  size_t offset = window.data() - line.data();

  Excerpt excerpt;
  if (cutFront)
    excerpt.line = excerpt.marker = "...";
  if (cutFront)
    excerpt.marker = "   ";
  for (auto [i, c] : llvm::enumerate(window)) {
    if (isContinuation(c)) {
      excerpt.line += c;
      continue;
    }
    size_t at = offset + i;
    char mark = !marked || at < start || at >= end ? ' '
                : at == start                      ? '^'
                                                   : '~';
    size_t width = c == '\t' ? tabWidth : 1;
    excerpt.line.append(width, c == '\t' ? ' ' : c);
    excerpt.marker += mark;
    excerpt.marker.append(width - 1, mark == '^' ? '~' : mark);
  }
  excerpt.line = printable(excerpt.line, maxColumns * tabWidth);
  if (cutBack)
    excerpt.line += "...";
  excerpt.marker = StringRef(excerpt.marker).rtrim().str();
  excerpt.line = StringRef(excerpt.line).rtrim().str();
  return excerpt;
}

//===-- files -------------------------------------------------------------===//

/// The path without symbolic links; none when it names nothing.
static std::optional<std::string> realPath(StringRef path) {
  SmallString<256> real;
  if (sys::fs::real_path(path, real))
    return std::nullopt;
  return real.str().str();
}

SourceText::SourceText(const SourceMgr *sources, ArrayRef<std::string> files)
    : sources(sources) {
  folder = realPath(".").value_or("");
  for (const std::string &file : files)
    if (auto real = realPath(file))
      named.push_back(*real);
}

bool SourceText::mayShow(StringRef file) const {
  std::optional<std::string> real = realPath(file);
  if (!real)
    return false;
  StringRef below = *real;
  return is_contained(named, *real) ||
         (!folder.empty() && below.consume_front(folder) &&
          (below.starts_with("/") || StringRef(folder).ends_with("/")));
}

StringRef SourceText::getText(StringRef file) {
  if (sources)
    for (unsigned id = 1; id <= sources->getNumBuffers(); ++id) {
      const MemoryBuffer *buffer = sources->getMemoryBuffer(id);
      if (buffer->getBufferIdentifier() == file)
        return buffer->getBuffer();
    }
  auto [it, isNew] = files.try_emplace(file);
  sys::fs::file_status status;
  // A location may name anything: devices and pipes are not read.
  if (isNew && file.size() < 4096 && mayShow(file) &&
      !sys::fs::status(file, status) && sys::fs::is_regular_file(status) &&
      status.getSize() <= maxFileBytes) {
    auto buffer = MemoryBuffer::getFile(file, /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false,
                                        // Not mapped: it may become shorter.
                                        /*IsVolatile=*/true);
    if (buffer)
      it->second = std::move(*buffer);
  }
  return it->second ? it->second->getBuffer() : StringRef();
}

std::optional<StringRef> SourceText::getLine(StringRef file, unsigned line) {
  StringRef text = getText(file);
  for (unsigned i = 1; i < line && !text.empty(); ++i)
    text = text.split('\n').second;
  if (line == 0 || text.empty())
    return std::nullopt;
  return text.split('\n').first;
}
