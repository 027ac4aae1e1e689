//===- ZipReader.cpp - Reading .npz ---------------------------------------===//
//
// A zip archive is read from its end: end record, central directory, and for
// each entry the local header. Everything is checked before an array is
// expanded: entries lie inside the file, do not overlap (so that one deflated
// block cannot be counted many times), and declare no more bytes than deflate
// can hold.
//
//===----------------------------------------------------------------------===//

#include "Bytes.h"
#include "NpyHeader.h"

#include "tripy/Base/Text.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <zlib.h>

using namespace tripy;
using namespace tripy::io;

namespace {

constexpr uint32_t localMagic = 0x04034b50, centralMagic = 0x02014b50,
                   endMagic = 0x06054b50, end64Magic = 0x06064b50,
                   locator64Magic = 0x07064b50;
constexpr size_t endSize = 22, end64Size = 56, locatorSize = 20,
                 centralSize = 46, localSize = 30;
/// Deflate packs at most 258 bytes into 2 bits; zlib documents 1032 : 1.
constexpr uint64_t maxDeflateRatio = 1032;

Status malformed(std::string message) {
  return Status(Code::Malformed, std::move(message));
}

} // namespace

namespace tripy::io {

class ZipReader {
public:
  explicit ZipReader(std::shared_ptr<const Source> source)
      : source(std::move(source)) {}
  Result<Npz> read();

private:
  /// One record of the central directory.
  struct Record {
    uint32_t flags = 0, method = 0, crc = 0;
    uint64_t packed = 0, size = 0, local = 0;
    std::string_view name;
  };

  uint64_t field(size_t at, uint32_t width) const {
    return loadLittle(bytes, at, width);
  }
  std::string_view text(size_t at, size_t length) const {
    return {reinterpret_cast<const char *>(bytes.data()) + at, length};
  }
  /// Reads a part of the file into `bytes`.
  Status load(uint64_t from, uint64_t size) {
    bytes.resize(size);
    return source->read(from, bytes);
  }
  Status findEnd();
  Status checkEnd(size_t at, uint64_t tail);
  Status readEnd64(size_t end, uint64_t tail);
  Status readRecord(size_t &at, Record &record);
  Status readExtra64(size_t at, size_t length, Record &record);
  Status addEntry(const Record &record);
  Status checkOverlap();
  Status checkNames();

  std::shared_ptr<const Source> source;
  /// The part that is read now: the tail, then the directory.
  std::vector<uint8_t> bytes;
  uint64_t count = 0, directory = 0, directorySize = 0;
  /// First and last byte + 1 of every entry, local header included.
  std::vector<std::pair<uint64_t, uint64_t>> extents;
  Npz result;
};

} // namespace tripy::io

Status ZipReader::findEnd() {
  uint64_t size = source->size();
  if (Status status = load(0, std::min<uint64_t>(size, 4)); !status.isOk())
    return status;
  if (size < 4 || (field(0, 4) != localMagic && field(0, 4) != endMagic))
    return Status(Code::BadMagic, "a .npz file is a zip archive, this is none");
  if (size < endSize)
    return Status(Code::Truncated, "the zip archive has no end record");
  // The comment after the record is at most 65535 bytes long and reaches
  // exactly to the end of the file.
  uint64_t tail = size - std::min<uint64_t>(size, 0xffff + endSize +
                                                      locatorSize + end64Size);
  if (Status status = load(tail, size - tail); !status.isOk())
    return status;
  size_t last = bytes.size() - endSize;
  size_t lowest = last > 0xffff ? last - 0xffff : 0;
  for (size_t at = last + 1; at-- > lowest;)
    if (field(at, 4) == endMagic && field(at + 20, 2) == last - at)
      return checkEnd(at, tail);
  return Status(Code::Truncated, "the zip archive has no end record");
}

/// Reads the end record at `at` of the tail, which starts at byte `tail`.
Status ZipReader::checkEnd(size_t at, uint64_t tail) {
  if (field(at + 4, 2) != 0 || field(at + 6, 2) != 0)
    return Status(Code::Unsupported, "the zip archive spans several disks");
  if (field(at + 8, 2) != field(at + 10, 2))
    return malformed("the zip end record has two numbers of entries");
  count = field(at + 10, 2);
  directorySize = field(at + 12, 4);
  directory = field(at + 16, 4);
  uint64_t end = tail + at;
  if (count == 0xffff || directorySize == 0xffffffff ||
      directory == 0xffffffff) {
    if (Status status = readEnd64(at, tail); !status.isOk())
      return status;
    end -= locatorSize + end64Size;
  }
  if (directory > end || directorySize != end - directory)
    return malformed("the zip directory does not end at the end record");
  if (count > directorySize / centralSize)
    return malformed("the zip directory is too small for its entries");
  if (directorySize > maxNpzDirectory)
    return Status(Code::LimitExceeded,
                  concat("the directory of a zip archive has at most ",
                         formatBytes(maxNpzDirectory), ", this one has ",
                         formatBytes(directorySize)));
  return Status::ok();
}

Status ZipReader::readEnd64(size_t end, uint64_t tail) {
  constexpr const char *rule = "the zip archive needs a 64-bit end record "
                               "right before its end record";
  if (end < locatorSize + end64Size)
    return malformed(rule);
  size_t locator = end - locatorSize, record = locator - end64Size;
  if (field(locator, 4) != locator64Magic || field(record, 4) != end64Magic ||
      field(locator + 8, 8) != tail + record ||
      field(record + 4, 8) != end64Size - 12)
    return malformed(rule);
  if (field(locator + 4, 4) != 0 || field(locator + 16, 4) != 1 ||
      field(record + 16, 4) != 0 || field(record + 20, 4) != 0)
    return Status(Code::Unsupported, "the zip archive spans several disks");
  if (field(record + 24, 8) != field(record + 32, 8))
    return malformed("the zip end record has two numbers of entries");
  count = field(record + 32, 8);
  directorySize = field(record + 40, 8);
  directory = field(record + 48, 8);
  return Status::ok();
}

Status ZipReader::readExtra64(size_t at, size_t length, Record &record) {
  uint64_t *wanted[3] = {record.size == 0xffffffff ? &record.size : nullptr,
                         record.packed == 0xffffffff ? &record.packed : nullptr,
                         record.local == 0xffffffff ? &record.local : nullptr};
  size_t end = at + length;
  while (end - at >= 4) {
    uint64_t id = field(at, 2), size = field(at + 2, 2);
    at += 4;
    if (size > end - at)
      return malformed("an extra field leaves its entry");
    if (id != 1) {
      at += size;
      continue;
    }
    size_t fieldEnd = at + size;
    for (uint64_t *value : wanted) {
      if (!value)
        continue;
      if (fieldEnd - at < 8)
        return malformed("the 64-bit sizes are missing");
      *value = field(at, 8);
      at += 8;
    }
    return Status::ok();
  }
  if (wanted[0] || wanted[1] || wanted[2])
    return malformed("the 64-bit sizes are missing");
  return Status::ok();
}

Status ZipReader::readRecord(size_t &at, Record &record) {
  size_t end = bytes.size();
  if (end - at < centralSize || field(at, 4) != centralMagic)
    return malformed("the zip directory is cut off or damaged");
  record.flags = static_cast<uint32_t>(field(at + 8, 2));
  record.method = static_cast<uint32_t>(field(at + 10, 2));
  record.crc = static_cast<uint32_t>(field(at + 16, 4));
  record.packed = field(at + 20, 4);
  record.size = field(at + 24, 4);
  record.local = field(at + 42, 4);
  uint64_t name = field(at + 28, 2), extra = field(at + 30, 2),
           comment = field(at + 32, 2);
  if (end - at - centralSize < name + extra + comment)
    return malformed("the zip directory is cut off or damaged");
  record.name = text(at + centralSize, name);
  Status status = readExtra64(at + centralSize + name, extra, record);
  at += centralSize + name + extra + comment;
  return status;
}

Status ZipReader::addEntry(const Record &record) {
  if (record.flags & 0x2041)
    return Status(Code::Unsupported, "the entry is encrypted");
  if (record.method != 0 && record.method != 8)
    return Status(Code::Unsupported,
                  concat("entries are stored or deflated, this one uses "
                         "compression method ",
                         record.method));
  // Local headers come before the directory, and so does every entry's data.
  std::vector<uint8_t> local(localSize + record.name.size());
  bool fits =
      record.local <= directory && directory - record.local >= localSize;
  local.resize(fits ? std::min<uint64_t>(local.size(), directory - record.local)
                    : 0);
  if (fits)
    if (Status status = source->read(record.local, local); !status.isOk())
      return status;
  if (!fits || loadLittle(local, 0, 4) != localMagic)
    return malformed("the entry has no local header");
  uint64_t start = record.local + localSize;
  uint64_t name = loadLittle(local, 26, 2), extra = loadLittle(local, 28, 2);
  std::span<const uint8_t> written = std::span(local).subspan(localSize);
  if (directory - start < name + extra || name != record.name.size() ||
      !std::equal(written.begin(), written.end(), asBytes(record.name).begin(),
                  asBytes(record.name).end()) ||
      loadLittle(local, 8, 2) != record.method)
    return malformed("the local header differs from the directory");
  start += name + extra;
  if (directory - start < record.packed)
    return Status(Code::Truncated, "the entry's data leaves the file");
  if (record.method == 0 && record.packed != record.size)
    return malformed("a stored entry has two sizes");
  if (record.method == 8 && record.size / maxDeflateRatio > record.packed)
    return Status(Code::LimitExceeded,
                  concat("the entry declares ", record.size, " bytes from ",
                         record.packed,
                         ", deflate expands 1032 times at most"));
  std::string_view key = record.name;
  if (!key.ends_with(".npy"))
    return Status(Code::Unsupported,
                  "the entries of a .npz file are named *.npy");
  key.remove_suffix(4);
  if (!isPrintable(key) || key.empty())
    return malformed("the name is not printable UTF-8");
  extents.emplace_back(record.local, start + record.packed);
  result.list.push_back({std::string(key), start, record.packed, record.size,
                         record.crc, record.method == 8});
  return Status::ok();
}

Status ZipReader::checkOverlap() {
  std::sort(extents.begin(), extents.end());
  for (size_t i = 1; i < extents.size(); ++i)
    if (extents[i].first < extents[i - 1].second)
      return malformed("entries of the zip archive overlap");
  return Status::ok();
}

Status ZipReader::checkNames() {
  std::vector<std::string_view> names;
  for (const NpzEntry &entry : result.list)
    names.push_back(entry.name);
  std::sort(names.begin(), names.end());
  if (auto twice = std::adjacent_find(names.begin(), names.end());
      twice != names.end())
    return malformed(concat("entry '", printable(*twice), "' appears twice"));
  return Status::ok();
}

Result<Npz> ZipReader::read() {
  if (Status status = findEnd(); !status.isOk())
    return status;
  if (Status status = load(directory, directorySize); !status.isOk())
    return status;
  size_t at = 0;
  for (uint64_t i = 0; i < count; ++i) {
    Record record;
    Status status = readRecord(at, record);
    if (status.isOk())
      status = addEntry(record);
    if (!status.isOk())
      return std::move(status).withContext(
          concat("entry '", printable(record.name), "'"));
  }
  if (at != bytes.size())
    return malformed("the zip directory holds more than its entries");
  if (Status status = checkOverlap(); !status.isOk())
    return status;
  if (Status status = checkNames(); !status.isOk())
    return status;
  result.source = std::move(source);
  return std::move(result);
}

Result<Npz> Npz::parse(std::span<const uint8_t> bytes) {
  return ZipReader(std::make_shared<Source>(bytes)).read();
}

Result<Npz> Npz::open(const std::string &path) {
  Result<std::shared_ptr<const Source>> source = Source::open(path);
  if (!source)
    return source.status();
  Result<Npz> result = ZipReader(std::move(*source)).read();
  if (!result)
    return Status(result.status()).withContext("'" + printable(path) + "'");
  return result;
}

namespace {

/// The expanded bytes of an entry, front to back.
class EntryStream : public ByteStream {
public:
  EntryStream(const Source &source, const NpzEntry &entry)
      : stored(source, entry.offset), entry(entry), left(entry.packed) {}
  ~EntryStream() override {
    if (isReady)
      inflateEnd(&stream);
  }
  Status read(std::span<uint8_t> out) override;
  /// To be called when all bytes were read: checks that there are no more, and
  /// the checksum.
  Status finish();

private:
  Status inflatePiece(std::span<uint8_t> out);
  Status damaged() const {
    return malformed(concat("the deflated data is damaged, or does not expand "
                            "to the ",
                            entry.size, " bytes that it declares"));
  }

  SourceStream stored;
  const NpzEntry &entry;
  /// Packed bytes that were not read yet.
  uint64_t left;
  uint32_t crc = 0;
  z_stream stream = {};
  bool isReady = false, isAtEnd = false;
  std::vector<uint8_t> input;
};

/// Fills `out`, of less than 4 GiB: zlib counts in 32 bits.
Status EntryStream::inflatePiece(std::span<uint8_t> out) {
  if (!isReady && inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return Status(Code::HostOutOfMemory, "no memory to expand the entry");
  isReady = true;
  // zlib refuses a null output even when there is no room.
  uint8_t none = 0;
  stream.next_out = out.empty() ? &none : out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  do {
    if (stream.avail_in == 0 && left > 0) {
      input.resize(std::min<uint64_t>(left, 1 << 16));
      if (Status status = stored.read(input); !status.isOk())
        return status;
      left -= input.size();
      stream.next_in = input.data();
      stream.avail_in = static_cast<uInt>(input.size());
    }
    int result = inflate(&stream, Z_NO_FLUSH);
    isAtEnd = result == Z_STREAM_END;
    if (!isAtEnd && result != Z_OK)
      return damaged();
    // At the end of the output the block's end may still have to be read.
  } while (!isAtEnd && (stream.avail_out > 0 || out.empty()));
  return stream.avail_out == 0 || out.empty() ? Status::ok() : damaged();
}

Status EntryStream::read(std::span<uint8_t> out) {
  constexpr size_t maximum = size_t(1) << 30;
  while (!out.empty()) {
    std::span<uint8_t> piece = out.first(std::min(maximum, out.size()));
    if (isAtEnd)
      return damaged();
    Status status = entry.deflated ? inflatePiece(piece) : stored.read(piece);
    if (!status.isOk())
      return status;
    crc = static_cast<uint32_t>(crc32_z(crc, piece.data(), piece.size()));
    out = out.subspan(piece.size());
  }
  return Status::ok();
}

Status EntryStream::finish() {
  if (entry.deflated) {
    if (!isAtEnd)
      if (Status status = inflatePiece({}); !status.isOk())
        return status;
    if (!isAtEnd || left > 0 || stream.avail_in > 0)
      return damaged();
  }
  if (crc != entry.crc)
    return Status(Code::ChecksumMismatch,
                  "the checksum of the array differs from its contents");
  return Status::ok();
}

} // namespace

/// Reads the array and checks that it is all of the entry.
static Result<HostTensor> readEntry(const Source &source, const NpzEntry &entry,
                                    const NpyOptions &options) {
  if (entry.deflated && entry.size > options.maxInflatedBytes)
    return Status(Code::LimitExceeded,
                  concat("the array expands to ", formatBytes(entry.size),
                         ", the limit is ",
                         formatBytes(options.maxInflatedBytes)));
  EntryStream stream(source, entry);
  Result<HostTensor> tensor = readNpyStream(stream, entry.size, options);
  // The archive is whole: its writer is at fault.
  if (!tensor && tensor.status().code() == Code::Truncated)
    return malformed(tensor.status().message());
  if (!tensor)
    return tensor;
  if (Status status = stream.finish(); !status.isOk())
    return status;
  if (Status status = checkElements(tensor->dtype(), tensor->span());
      !status.isOk())
    return status;
  return tensor;
}

Result<HostTensor> Npz::read(std::string_view name,
                             const NpyOptions &options) const {
  auto entry = std::find_if(list.begin(), list.end(),
                            [&](const NpzEntry &e) { return e.name == name; });
  if (entry == list.end()) {
    ClosestName closest(name);
    for (const NpzEntry &candidate : list)
      closest.consider(candidate.name);
    return Status(Code::NotFound, concat("there is no array '", printable(name),
                                         "'", closest.suggestion()));
  }
  Result<HostTensor> tensor = readEntry(*source, *entry, options);
  if (!tensor)
    return Status(tensor.status())
        .withContext(concat("array '", printable(name), "'"));
  return tensor;
}
