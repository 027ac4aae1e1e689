//===- SafeTensors.cpp - Reading .safetensors -----------------------------===//
//
// Layout: u64 header length N, N bytes of JSON, data. The header maps names to
// {"dtype", "shape", "data_offsets": [begin, end)} relative to the data.
//
//===----------------------------------------------------------------------===//

#include "tripy/Runtime/IO/SafeTensors.h"

#include "JsonCursor.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Text.h"

#include <algorithm>
#include <tuple>

using namespace tripy;
using namespace tripy::io;

namespace {

/// Bits of an element of the format's types that Tripy lacks.
struct ForeignType {
  std::string_view name;
  uint32_t bits;
};
constexpr ForeignType foreignTypes[] = {
    {"U16", 16},        {"U32", 32},        {"U64", 64},    {"C64", 64},
    {"F8_E8M0", 8},     {"F4", 4},          {"F6_E2M3", 6}, {"F6_E3M2", 6},
    {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8},
};

/// Bits of an element, 0 for an unknown type.
uint32_t elementBits(const SafeTensor &tensor) {
  if (tensor.dtype)
    return static_cast<uint32_t>(dtypeSize(*tensor.dtype)) * 8;
  for (const ForeignType &type : foreignTypes)
    if (type.name == tensor.dtypeText)
      return type.bits;
  return 0;
}

std::string quoted(std::string_view name) {
  return "tensor '" + printable(name) + "'";
}

} // namespace

namespace tripy::io {

/// Reads one header into a SafeTensors.
class SafeTensorsReader {
public:
  explicit SafeTensorsReader(std::span<const uint8_t> bytes) : bytes(bytes) {}
  Result<SafeTensors> read();
  void keep(std::shared_ptr<void> owner) { result.owner = std::move(owner); }

private:
  /// Where an entry's data is said to be.
  struct Extent {
    uint64_t begin = 0, end = 0;
  };

  Status readFrame();
  Status readHeader();
  Status readMetadata(JsonCursor &cursor);
  Status readTensor(JsonCursor &cursor, std::string name);
  Status readField(JsonCursor &cursor, std::string_view key, SafeTensor &tensor,
                   Extent &extent);
  Status readShape(JsonCursor &cursor, SafeTensor &tensor);
  Status checkSize(const SafeTensor &tensor, const Extent &extent);
  Status checkNames();
  Status placeData();

  std::span<const uint8_t> bytes, data;
  /// A copy: what was checked cannot change under us.
  std::string header;
  std::vector<Extent> extents;
  SafeTensors result;
  bool sawMetadata = false;
};

} // namespace tripy::io

Result<SafeTensors> SafeTensorsReader::read() {
  if (Status status = readFrame(); !status.isOk())
    return status;
  if (Status status = readHeader(); !status.isOk())
    return status;
  if (Status status = checkNames(); !status.isOk())
    return status;
  if (Status status = placeData(); !status.isOk())
    return status;
  return std::move(result);
}

Status SafeTensorsReader::readFrame() {
  if (bytes.size() < 8)
    return Status(Code::Truncated,
                  "a safetensors file has at least 8 bytes, found " +
                      std::to_string(bytes.size()));
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i)
    length = length << 8 | bytes[static_cast<size_t>(i)];
  if (length > maxSafeTensorsHeader)
    return Status(Code::LimitExceeded,
                  "the header of a safetensors file has at most 100000000 "
                  "bytes, this one declares " +
                      std::to_string(length));
  if (length > bytes.size() - 8)
    return Status(Code::Truncated,
                  "the header declares " + std::to_string(length) +
                      " bytes, the file has " +
                      std::to_string(bytes.size() - 8) + " after its length");
  header.assign(reinterpret_cast<const char *>(bytes.data()) + 8, length);
  data = bytes.subspan(8 + length);
  if (header.empty() || header[0] != '{')
    return Status(Code::Malformed,
                  "the header of a safetensors file starts with '{'");
  return Status::ok();
}

Status SafeTensorsReader::readHeader() {
  JsonCursor cursor(header);
  if (Status status = cursor.expect('{', "the header"); !status.isOk())
    return status;
  std::string name;
  bool first = true;
  while (!cursor.consume('}')) {
    if (!first)
      if (Status status = cursor.expect(',', "the header"); !status.isOk())
        return status;
    first = false;
    if (Status status = cursor.readString(name, "a tensor name");
        !status.isOk())
      return status;
    if (Status status = cursor.expect(':', "the header"); !status.isOk())
      return status;
    Status status = name == "__metadata__" ? readMetadata(cursor)
                                           : readTensor(cursor, name);
    if (!status.isOk())
      return status;
  }
  if (!cursor.atEnd())
    return cursor.error("only spaces may follow the header's closing '}'");
  return Status::ok();
}

Status SafeTensorsReader::readMetadata(JsonCursor &cursor) {
  if (sawMetadata)
    return cursor.error("the key '__metadata__' appears twice");
  sawMetadata = true;
  constexpr std::string_view where = "the metadata";
  if (Status status = cursor.expect('{', where); !status.isOk())
    return status;
  while (!cursor.consume('}')) {
    if (!result.texts.empty())
      if (Status status = cursor.expect(',', where); !status.isOk())
        return status;
    auto &[key, value] = result.texts.emplace_back();
    if (Status status = cursor.readString(key, "a metadata key");
        !status.isOk())
      return status;
    if (Status status = cursor.expect(':', where); !status.isOk())
      return status;
    if (Status status = cursor.readString(value, "a metadata value");
        !status.isOk())
      return status;
  }
  return Status::ok();
}

Status SafeTensorsReader::readTensor(JsonCursor &cursor, std::string name) {
  if (name.empty())
    return cursor.error("a tensor name may not be empty");
  SafeTensor tensor;
  tensor.name = std::move(name);
  Extent extent;
  if (Status status = cursor.expect('{', "a tensor's description");
      !status.isOk())
    return std::move(status).withContext(quoted(tensor.name));
  static constexpr std::string_view fields[] = {"dtype", "shape",
                                                "data_offsets"};
  bool seen[3] = {};
  std::string key;
  for (int count = 0; !cursor.consume('}'); ++count) {
    if (count > 0)
      if (Status status = cursor.expect(',', "a tensor's description");
          !status.isOk())
        return std::move(status).withContext(quoted(tensor.name));
    if (Status status = cursor.readString(key, "a field name"); !status.isOk())
      return std::move(status).withContext(quoted(tensor.name));
    size_t field = static_cast<size_t>(
        std::find(std::begin(fields), std::end(fields), key) -
        std::begin(fields));
    if (field == std::size(fields))
      return Status(Code::Malformed, quoted(tensor.name) +
                                         ": a description has the fields "
                                         "dtype, shape and data_offsets, "
                                         "found '" +
                                         printable(key) + "'");
    if (std::exchange(seen[field], true))
      return Status(Code::Malformed, quoted(tensor.name) + ": the field '" +
                                         key + "' appears twice");
    if (Status status = cursor.expect(':', "a tensor's description");
        !status.isOk())
      return std::move(status).withContext(quoted(tensor.name));
    if (Status status = readField(cursor, key, tensor, extent); !status.isOk())
      return std::move(status).withContext(quoted(tensor.name));
  }
  for (size_t field = 0; field < std::size(fields); ++field)
    if (!seen[field])
      return Status(Code::Malformed, quoted(tensor.name) + ": the field '" +
                                         std::string(fields[field]) +
                                         "' is missing");
  if (Status status = checkSize(tensor, extent); !status.isOk())
    return std::move(status).withContext(quoted(tensor.name));
  result.list.push_back(std::move(tensor));
  extents.push_back(extent);
  return Status::ok();
}

Status SafeTensorsReader::readField(JsonCursor &cursor, std::string_view key,
                                    SafeTensor &tensor, Extent &extent) {
  if (key == "dtype") {
    if (Status status = cursor.readString(tensor.dtypeText, "the element type");
        !status.isOk())
      return status;
    tensor.dtype = findDType(tensor.dtypeText, &DTypeInfo::safetensors);
    if (elementBits(tensor) == 0)
      return Status(Code::Unsupported, "unknown element type '" +
                                           printable(tensor.dtypeText) + "'");
    return Status::ok();
  }
  if (key == "shape")
    return readShape(cursor, tensor);
  constexpr std::string_view where = "data_offsets";
  if (Status status = cursor.expect('[', where); !status.isOk())
    return status;
  if (Status status = cursor.readInteger(extent.begin, "an offset");
      !status.isOk())
    return status;
  if (Status status = cursor.expect(',', where); !status.isOk())
    return status;
  if (Status status = cursor.readInteger(extent.end, "an offset");
      !status.isOk())
    return status;
  return cursor.expect(']', where);
}

Status SafeTensorsReader::readShape(JsonCursor &cursor, SafeTensor &tensor) {
  if (Status status = cursor.expect('[', "the shape"); !status.isOk())
    return status;
  bool first = true;
  while (!cursor.consume(']')) {
    if (!first)
      if (Status status = cursor.expect(',', "the shape"); !status.isOk())
        return status;
    first = false;
    uint64_t size = 0;
    if (Status status = cursor.readInteger(size, "a dimension"); !status.isOk())
      return status;
    if (tensor.shape.rank() == runtime::maxRank)
      return Status(Code::LimitExceeded, "a tensor has at most " +
                                             std::to_string(runtime::maxRank) +
                                             " dimensions");
    tensor.shape.push(static_cast<int64_t>(size));
  }
  return Status::ok();
}

Status SafeTensorsReader::checkSize(const SafeTensor &tensor,
                                    const Extent &extent) {
  uint64_t bits = elementBits(tensor);
  bool overflow = false;
  for (int64_t size : tensor.shape.sizes())
    overflow |=
        __builtin_mul_overflow(bits, static_cast<uint64_t>(size), &bits);
  if (overflow)
    return Status(Code::Malformed,
                  "the size of shape " + tensor.shape.str() + " overflows");
  if (bits % 8 != 0)
    return Status(Code::Malformed, "the elements end within a byte");
  if (extent.begin > extent.end)
    return Status(Code::Malformed,
                  "data_offsets begin at " + std::to_string(extent.begin) +
                      ", after their end " + std::to_string(extent.end));
  if (extent.end - extent.begin != bits / 8)
    return Status(Code::Malformed,
                  "data_offsets span " +
                      std::to_string(extent.end - extent.begin) +
                      " bytes, shape " + tensor.shape.str() + " of " +
                      tensor.dtypeText + " needs " + std::to_string(bits / 8));
  if (extent.end > data.size())
    return Status(Code::Truncated,
                  "the data ends at byte " + std::to_string(extent.end) +
                      ", the file has " + std::to_string(data.size()) +
                      " bytes of data");
  return Status::ok();
}

Status SafeTensorsReader::checkNames() {
  // By sorting, not by hashing: a file cannot choose names that collide.
  std::vector<std::string_view> keys;
  keys.reserve(result.texts.size());
  for (const auto &[key, value] : result.texts)
    keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  if (auto twice = std::adjacent_find(keys.begin(), keys.end());
      twice != keys.end())
    return Status(Code::Malformed,
                  "the metadata key '" + printable(*twice) + "' appears twice");
  keys.clear();
  for (const SafeTensor &tensor : result.list)
    keys.push_back(tensor.name);
  std::sort(keys.begin(), keys.end());
  if (auto twice = std::adjacent_find(keys.begin(), keys.end());
      twice != keys.end())
    return Status(Code::Malformed, quoted(*twice) + " appears twice");
  return Status::ok();
}

Status SafeTensorsReader::placeData() {
  std::vector<uint32_t> order(result.list.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const Extent &x = extents[a], &y = extents[b];
    return std::tie(x.begin, x.end, a) < std::tie(y.begin, y.end, b);
  });
  uint64_t end = 0;
  std::vector<SafeTensor> sorted;
  sorted.reserve(order.size());
  for (uint32_t i : order) {
    const Extent &extent = extents[i];
    SafeTensor &tensor = result.list[i];
    if (extent.begin != end)
      return Status(Code::Malformed,
                    quoted(tensor.name) + ": its data begins at byte " +
                        std::to_string(extent.begin) + ", which " +
                        (extent.begin < end ? "overlaps" : "leaves a hole to") +
                        " the data before it, which ends at byte " +
                        std::to_string(end));
    end = extent.end;
    tensor.data = data.subspan(extent.begin, extent.end - extent.begin);
    if (tensor.dtype == DType::Bool &&
        std::any_of(tensor.data.begin(), tensor.data.end(),
                    [](uint8_t byte) { return byte > 1; }))
      return Status(Code::Malformed,
                    quoted(tensor.name) + ": an element of BOOL is 0 or 1");
    sorted.push_back(std::move(tensor));
  }
  if (end != data.size())
    return Status(Code::Malformed, "the last tensor ends at byte " +
                                       std::to_string(end) + " of the data, " +
                                       std::to_string(data.size() - end) +
                                       " bytes follow that belong to none");
  result.list = std::move(sorted);
  for (uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return result.list[a].name < result.list[b].name;
  });
  result.byName = std::move(order);
  return Status::ok();
}

Result<SafeTensors> SafeTensors::parse(std::span<const uint8_t> bytes) {
  return SafeTensorsReader(bytes).read();
}

Result<SafeTensors> SafeTensors::open(const std::string &path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.status();
  auto owner = std::make_shared<MappedFile>(std::move(*file));
  SafeTensorsReader reader(owner->bytes());
  reader.keep(owner);
  Result<SafeTensors> result = reader.read();
  if (!result)
    return Status(result.status()).withContext("'" + printable(path) + "'");
  return result;
}

const SafeTensor *SafeTensors::find(std::string_view name) const {
  auto at = std::lower_bound(
      byName.begin(), byName.end(), name,
      [&](uint32_t i, std::string_view name) { return list[i].name < name; });
  if (at == byName.end() || list[*at].name != name)
    return nullptr;
  return &list[*at];
}

Result<TensorView> SafeTensors::view(std::string_view name) const {
  const SafeTensor *tensor = find(name);
  if (!tensor) {
    ClosestName closest(name);
    for (const SafeTensor &candidate : list)
      closest.consider(candidate.name);
    return Status(Code::NotFound,
                  "there is no " + quoted(name) + closest.suggestion());
  }
  if (!tensor->dtype)
    return Status(Code::Unsupported, quoted(name) + " has element type " +
                                         tensor->dtypeText +
                                         ", which Tripy does not have");
  // The runtime does not write through views of inputs.
  return TensorView{*tensor->dtype, DeviceKind::CPU, 0, tensor->shape,
                    const_cast<uint8_t *>(tensor->data.data())};
}
