//===- NpyHeader.cpp - The header of a .npy file --------------------------===//
//
// Layout: "\x93NUMPY", major, minor, header length (u16 in version 1, u32 in 2
// and 3), then a Python dictionary with exactly the keys 'descr',
// 'fortran_order' and 'shape', spaces, and a line feed.
//
//===----------------------------------------------------------------------===//

#include "NpyHeader.h"

#include "Bytes.h"

#include "tripy/Base/Text.h"

#include <algorithm>
#include <cstring>

using namespace tripy;
using namespace tripy::io;

static constexpr std::string_view magic = "\x93NUMPY";

namespace {

/// Reads the literals that a header consists of.
class LiteralReader {
public:
  explicit LiteralReader(std::string_view text) : text(text) {}

  bool consume(std::string_view token) {
    skipSpace();
    if (!text.substr(at).starts_with(token))
      return false;
    at += token.size();
    return true;
  }
  /// A string in single or double quotes; escapes do not occur in headers.
  bool readString(std::string_view &out) {
    skipSpace();
    if (at == text.size() || (text[at] != '\'' && text[at] != '"'))
      return false;
    size_t end = text.find(text[at], at + 1);
    if (end == std::string_view::npos)
      return false;
    out = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return out.find('\\') == std::string_view::npos;
  }
  /// A non-negative integer below 2^63, without leading zeros.
  bool readInteger(int64_t &out) {
    skipSpace();
    size_t start = at;
    out = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      if (__builtin_mul_overflow(out, int64_t(10), &out) ||
          __builtin_add_overflow(out, text[at] - '0', &out))
        return false;
    // Python refuses "01".
    return at == start + 1 || (at > start && text[start] != '0');
  }
  bool atEnd() {
    skipSpace();
    return at == text.size();
  }

private:
  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' ||
                                text[at] == '\t' || text[at] == '\r'))
      ++at;
  }
  std::string_view text;
  size_t at = 0;
};

Status malformed(std::string message) {
  return Status(Code::Malformed, std::move(message));
}

/// Reads "(2, 3)", "(5,)" or "()".
Status readTuple(LiteralReader &reader, Shape &shape) {
  constexpr const char *rule =
      "the shape of a .npy header is a tuple of non-negative integers";
  if (!reader.consume("("))
    return malformed(rule);
  while (!reader.consume(")")) {
    int64_t size = 0;
    if (!reader.readInteger(size))
      return malformed(rule);
    if (shape.rank() == runtime::maxRank)
      return Status(Code::LimitExceeded, "an array has at most " +
                                             std::to_string(runtime::maxRank) +
                                             " dimensions");
    shape.push(size);
    if (reader.consume(","))
      continue;
    // Python writes a one-element tuple with its comma: "(5)" is a number.
    if (shape.rank() == 1 || !reader.consume(")"))
      return malformed(rule);
    break;
  }
  return Status::ok();
}

/// Finds the element type of a raw type of `size` bytes.
Result<DType> rawType(std::string_view descr, size_t size,
                      const NpyOptions &options) {
  if (options.rawType && dtypeSize(*options.rawType) == size)
    return *options.rawType;
  if (options.rawType)
    return Status(Code::DTypeMismatch,
                  "raw elements '" + printable(descr) + "' have " +
                      std::to_string(size) + " bytes, " +
                      std::string(dtypeName(*options.rawType)) + " has " +
                      std::to_string(dtypeSize(*options.rawType)));
  return size == 2 ? DType::BF16 : DType::F8E4M3FN;
}

Result<DType> readDescr(std::string_view descr, const NpyOptions &options) {
  if (descr.size() >= 2 && descr[0] == '>' && descr[1] != 'b')
    return Status(Code::Unsupported,
                  "elements '" + printable(descr) +
                      "' are big endian: save the array as little endian");
  if (descr.size() >= 2 && descr[1] == 'O')
    return Status(Code::Unsupported,
                  "the array holds Python objects, which are pickles: "
                  "they are never read");
  std::string_view plain = descr;
  if (!plain.empty() && (plain[0] == '<' || plain[0] == '|' || plain[0] == '='))
    plain.remove_prefix(1);
  // A byte for each element: NumPy has none of 4 bits.
  if (options.rawType == DType::I4 && plain == "i1")
    return DType::I4;
  for (const DTypeInfo &info : dtypeTable)
    if (!info.npy.empty() && info.npy.substr(1) == plain &&
        // Without a byte order only single bytes are clear.
        (info.size == 1 || (descr[0] == '<' || descr[0] == '=')))
      return info.dtype;
  if (plain == "V1" || plain == "V2")
    return rawType(descr, plain == "V1" ? 1 : 2, options);
  return Status(Code::Unsupported,
                "element type '" + printable(descr) +
                    "' of a .npy file is not one of Tripy's");
}

/// Reads the dictionary's text; `offset` becomes the byte behind it.
Status readFrame(ByteStream &stream, uint64_t size, std::string &text,
                 size_t &offset) {
  uint8_t bytes[12] = {};
  size_t start = size_t(std::min<uint64_t>(size, 10));
  if (Status status = stream.read({bytes, start}); !status.isOk())
    return status;
  std::string_view all(reinterpret_cast<const char *>(bytes), start);
  if (!all.starts_with(magic.substr(0, start)))
    return Status(Code::BadMagic,
                  "a .npy file starts with \\x93NUMPY, this one does not");
  if (start < 10)
    return Status(Code::Truncated, "a .npy file has at least 10 bytes, found " +
                                       std::to_string(size));
  uint32_t major = bytes[6], minor = bytes[7];
  if (major < 1 || major > 3 || minor != 0)
    return Status(Code::UnsupportedVersion,
                  "versions 1.0, 2.0 and 3.0 of the .npy format are read, "
                  "this file has " +
                      std::to_string(major) + "." + std::to_string(minor));
  size_t prefix = major == 1 ? 10 : 12;
  if (size < prefix)
    return Status(Code::Truncated, "the .npy header is cut off");
  if (Status status = stream.read({bytes + 10, prefix - 10}); !status.isOk())
    return status;
  uint64_t length = loadLittle(bytes, 8, uint32_t(prefix - 8));
  if (length > maxNpyHeader)
    return Status(Code::LimitExceeded,
                  "a .npy header has at most " + std::to_string(maxNpyHeader) +
                      " bytes, this one declares " + std::to_string(length));
  if (length > size - prefix)
    return Status(Code::Truncated,
                  "the .npy header declares " + std::to_string(length) +
                      " bytes, the file has " + std::to_string(size - prefix));
  text.resize(length);
  offset = prefix + length;
  return stream.read({reinterpret_cast<uint8_t *>(text.data()), length});
}

/// Reads the value of `key` into `header`.
Status readValue(LiteralReader &reader, std::string_view key, NpyHeader &header,
                 const NpyOptions &options) {
  if (key == "shape")
    return readTuple(reader, header.shape);
  if (key == "fortran_order") {
    header.fortranOrder = reader.consume("True");
    if (!header.fortranOrder && !reader.consume("False"))
      return malformed("'fortran_order' of a .npy header is True or False");
    return Status::ok();
  }
  std::string_view descr;
  if (reader.consume("["))
    return Status(Code::Unsupported,
                  "structured arrays have no element type of Tripy's");
  if (!reader.readString(descr))
    return malformed("'descr' of a .npy header is a string");
  Result<DType> dtype = readDescr(descr, options);
  if (!dtype)
    return dtype.status();
  header.dtype = *dtype;
  return Status::ok();
}

} // namespace

Result<NpyHeader> io::readNpyHeader(ByteStream &stream, uint64_t size,
                                    const NpyOptions &options) {
  std::string text;
  NpyHeader header;
  if (Status status = readFrame(stream, size, text, header.dataOffset);
      !status.isOk())
    return status;
  static constexpr std::string_view keys[] = {"descr", "fortran_order",
                                              "shape"};
  bool seen[3] = {};
  LiteralReader reader(text);
  constexpr const char *rule = "a .npy header is one Python dictionary with "
                               "the keys descr, fortran_order and shape";
  if (!reader.consume("{"))
    return malformed(rule);
  while (!reader.consume("}")) {
    std::string_view key;
    if (!reader.readString(key) || !reader.consume(":"))
      return malformed(rule);
    size_t which = static_cast<size_t>(
        std::find(std::begin(keys), std::end(keys), key) - std::begin(keys));
    if (which == std::size(keys))
      return malformed(std::string(rule) + ", found '" + printable(key) + "'");
    if (std::exchange(seen[which], true))
      return malformed("the key '" + std::string(key) +
                       "' of a .npy header appears twice");
    if (Status status = readValue(reader, key, header, options); !status.isOk())
      return status;
    if (reader.consume(","))
      continue;
    if (!reader.consume("}"))
      return malformed(rule);
    break;
  }
  if (!reader.atEnd() || !seen[0] || !seen[1] || !seen[2])
    return malformed(rule);
  return header;
}
