//===- ZipWriter.cpp - Writing .npz ---------------------------------------===//
//
// Stored entries, with 64-bit sizes where 32 bits are too few.
//
//===----------------------------------------------------------------------===//

#include "Bytes.h"
#include "JsonCursor.h"
#include "NpyHeader.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Text.h"
#include "tripy/Runtime/IO/Npy.h"

#include <algorithm>
#include <memory>
#include <zlib.h>

using namespace tripy;
using namespace tripy::io;

namespace {

constexpr uint64_t limit32 = 0xffffffff;
/// 1980-01-01 00:00, the first time that zip knows: output is reproducible.
constexpr uint32_t dosDate = 0x0021;

struct Entry {
  std::string name, header;
  std::span<const uint8_t> data;
  /// Keeps `data` where it is no memory of the caller.
  std::shared_ptr<const HostTensor> unpacked;
  uint32_t crc = 0;
  uint64_t size = 0, offset = 0;
};

uint64_t clamp32(uint64_t value) { return std::min(value, limit32); }

/// The fields that local and central headers share.
void appendCommon(std::string &out, const Entry &entry, bool wide,
                  size_t extra) {
  appendLittle(out, wide ? 45 : 20, 2);
  appendLittle(out, 0x0800, 2); // names are UTF-8
  appendLittle(out, 0, 2);      // stored
  appendLittle(out, 0, 2);
  appendLittle(out, dosDate, 2);
  appendLittle(out, entry.crc, 4);
  appendLittle(out, clamp32(entry.size), 4);
  appendLittle(out, clamp32(entry.size), 4);
  appendLittle(out, entry.name.size(), 2);
  appendLittle(out, extra, 2);
}

std::string localHeader(const Entry &entry) {
  bool wide = entry.size >= limit32;
  std::string out;
  appendLittle(out, 0x04034b50, 4);
  appendCommon(out, entry, wide, wide ? 20 : 0);
  out += entry.name;
  if (wide) {
    appendLittle(out, 1, 2);
    appendLittle(out, 16, 2);
    appendLittle(out, entry.size, 8);
    appendLittle(out, entry.size, 8);
  }
  return out;
}

std::string centralHeader(const Entry &entry) {
  std::string extra;
  if (entry.size >= limit32) {
    appendLittle(extra, entry.size, 8);
    appendLittle(extra, entry.size, 8);
  }
  if (entry.offset >= limit32)
    appendLittle(extra, entry.offset, 8);
  std::string out;
  appendLittle(out, 0x02014b50, 4);
  appendLittle(out, extra.empty() ? 20 : 45, 2);
  appendCommon(out, entry, !extra.empty(),
               extra.empty() ? 0 : extra.size() + 4);
  appendLittle(out, 0, 2); // no comment
  appendLittle(out, 0, 2); // disk
  appendLittle(out, 0, 2); // internal attributes
  appendLittle(out, 0, 4); // external attributes
  appendLittle(out, clamp32(entry.offset), 4);
  out += entry.name;
  if (!extra.empty()) {
    appendLittle(out, 1, 2);
    appendLittle(out, extra.size(), 2);
    out += extra;
  }
  return out;
}

std::string endRecords(uint64_t count, uint64_t start, uint64_t size) {
  std::string out;
  if (count >= 0xffff || start >= limit32 || size >= limit32) {
    appendLittle(out, 0x06064b50, 4);
    appendLittle(out, 44, 8);
    appendLittle(out, 45, 2);
    appendLittle(out, 45, 2);
    appendLittle(out, 0, 4);
    appendLittle(out, 0, 4);
    appendLittle(out, count, 8);
    appendLittle(out, count, 8);
    appendLittle(out, size, 8);
    appendLittle(out, start, 8);
    appendLittle(out, 0x07064b50, 4);
    appendLittle(out, 0, 4);
    appendLittle(out, start + size, 8);
    appendLittle(out, 1, 4);
  }
  appendLittle(out, 0x06054b50, 4);
  appendLittle(out, 0, 4);
  appendLittle(out, std::min<uint64_t>(count, 0xffff), 2);
  appendLittle(out, std::min<uint64_t>(count, 0xffff), 2);
  appendLittle(out, clamp32(size), 4);
  appendLittle(out, clamp32(start), 4);
  appendLittle(out, 0, 2);
  return out;
}

Result<Entry> makeEntry(const NpzTensor &tensor) {
  std::optional<uint64_t> size =
      tensor.view.shape.bytes(typeInFile(tensor.view.dtype));
  if (!isTensorName(tensor.name) || !isPrintable(tensor.name) ||
      tensor.name.size() > 1024)
    return Status(Code::InvalidArgument,
                  concat("the name of an array is printable UTF-8 of 1 to 1024 "
                         "bytes, found '",
                         printable(tensor.name), "'"));
  if (tensor.view.device != DeviceKind::CPU || !size)
    return Status(Code::InvalidArgument,
                  concat("array '", printable(tensor.name),
                         "': a tensor to write is dense and in host memory"));
  Entry entry;
  entry.name = tensor.name + ".npy";
  entry.header = npyHeader(tensor.view.dtype, tensor.view.shape);
  entry.data = {static_cast<const uint8_t *>(tensor.view.data), *size};
  if (isPacked(tensor.view.dtype)) {
    Result<HostTensor> bytes = unpackElements(tensor.view);
    if (!bytes)
      return bytes.status();
    entry.unpacked = std::make_shared<HostTensor>(std::move(*bytes));
    entry.data = entry.unpacked->span();
  }
  std::span<const uint8_t> header = asBytes(entry.header);
  uLong crc = crc32_z(0, header.data(), header.size());
  // crc32_z takes a null buffer for a request of the start value.
  if (!entry.data.empty())
    crc = crc32_z(crc, entry.data.data(), entry.data.size());
  entry.crc = static_cast<uint32_t>(crc);
  entry.size = entry.header.size() + entry.data.size();
  return entry;
}

} // namespace

Status io::writeNpz(const std::string &path,
                    std::span<const NpzTensor> tensors) {
  std::vector<Entry> entries;
  std::vector<std::string_view> names;
  for (const NpzTensor &tensor : tensors) {
    Result<Entry> entry = makeEntry(tensor);
    if (!entry)
      return entry.status();
    entries.push_back(std::move(*entry));
    names.push_back(tensor.name);
  }
  std::sort(names.begin(), names.end());
  if (auto twice = std::adjacent_find(names.begin(), names.end());
      twice != names.end())
    return Status(Code::InvalidArgument,
                  concat("array '", printable(*twice), "' is given twice"));
  Result<FileWriter> file = FileWriter::create(path);
  if (!file)
    return file.status();
  uint64_t offset = 0;
  std::string directory;
  for (Entry &entry : entries) {
    entry.offset = offset;
    std::string local = localHeader(entry);
    for (std::span<const uint8_t> piece :
         {asBytes(local), asBytes(entry.header), entry.data})
      if (Status status = file->write(piece); !status.isOk())
        return status;
    offset += local.size() + entry.size;
    directory += centralHeader(entry);
  }
  directory += endRecords(entries.size(), offset, directory.size());
  if (Status status = file->write(asBytes(directory)); !status.isOk())
    return status;
  return file->commit();
}
