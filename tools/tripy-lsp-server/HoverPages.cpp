//===- HoverPages.cpp - Pages of operations in answers of the server ------===//

#include "HoverPages.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

#include <cerrno>
#include <unistd.h>

using namespace llvm;
using namespace tripy;

static StringMap<StringRef> makePages() {
  StringMap<StringRef> pages;
#define TRIPY_OP_PAGE(name, page) pages[name] = page;
#include "tripy/Tools/FlatIROpPages.inc"
#include "tripy/Tools/TraceOpPages.inc"
#undef TRIPY_OP_PAGE
  return pages;
}

StringRef lsp::operationPage(StringRef name) {
  static const StringMap<StringRef> pages = makePages();
  return pages.lookup(name);
}

std::optional<std::string> lsp::addOperationPage(StringRef message) {
  if (!message.contains("\"contents\""))
    return std::nullopt;
  Expected<json::Value> parsed = json::parse(message);
  if (!parsed) {
    consumeError(parsed.takeError());
    return std::nullopt;
  }
  json::Object *answer = parsed->getAsObject();
  json::Object *result = answer ? answer->getObject("result") : nullptr;
  json::Object *contents = result ? result->getObject("contents") : nullptr;
  std::optional<StringRef> text =
      contents ? contents->getString("value") : std::nullopt;
  if (!text)
    return std::nullopt;
  // The text begins with the name in quotes: "trace.exp"
  auto [before, rest] = text->split('"');
  StringRef page = operationPage(rest.split('"').first);
  if (!before.empty() || page.empty())
    return std::nullopt;
  (*contents)["value"] = (*text + "\n\n---\n" + page).str();
  std::string out;
  raw_string_ostream(out) << *parsed;
  return out;
}

//===-- the stream --------------------------------------------------------===//

namespace {
/// Reads what is there and hands out messages.
class MessageReader {
public:
  explicit MessageReader(int file) : file(file) {}

  /// The next message without its header; nothing at the end, or where there
  /// is no header: then `rest` has what was read.
  std::optional<std::string> next();
  std::string rest;

private:
  bool readMore();

  int file;
};
} // namespace

bool MessageReader::readMore() {
  char buffer[65536];
  ssize_t count;
  do
    count = read(file, buffer, sizeof buffer);
  while (count < 0 && errno == EINTR);
  if (count <= 0)
    return false;
  rest.append(buffer, static_cast<size_t>(count));
  return true;
}

std::optional<std::string> MessageReader::next() {
  // More than any header has.
  constexpr size_t longestHeader = 4096;
  size_t end;
  while ((end = rest.find("\r\n\r\n")) == std::string::npos)
    if (rest.size() > longestHeader || !readMore())
      return std::nullopt;
  size_t size = 0;
  bool known = false;
  SmallVector<StringRef> lines;
  StringRef(rest).take_front(end).split(lines, "\r\n");
  for (StringRef line : lines)
    if (line.consume_front_insensitive("content-length:"))
      known = !line.trim().getAsInteger(10, size);
  if (!known)
    return std::nullopt;
  while (rest.size() - end - 4 < size)
    if (!readMore())
      return std::nullopt;
  std::string message = rest.substr(end + 4, size);
  rest.erase(0, end + 4 + size);
  return message;
}

static bool writeAll(int file, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes = bytes.drop_front(static_cast<size_t>(count));
  }
  return true;
}

void lsp::relayMessages(int from, int to) {
  MessageReader reader(from);
  while (std::optional<std::string> message = reader.next()) {
    if (std::optional<std::string> changed = addOperationPage(*message))
      message = std::move(changed);
    std::string header =
        "Content-Length: " + std::to_string(message->size()) + "\r\n\r\n";
    if (!writeAll(to, header + *message))
      return;
  }
  char buffer[65536];
  writeAll(to, reader.rest);
  for (ssize_t count; (count = read(from, buffer, sizeof buffer)) > 0;)
    if (!writeAll(to, StringRef(buffer, static_cast<size_t>(count))))
      return;
}
