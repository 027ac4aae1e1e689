//===- SafeTensors.cpp - Reading .safetensors -----------------------------===//
//
// Layout: u64 header length N, N bytes of JSON, data. The header maps names to
// {"dtype", "shape", "data_offsets": [begin, end)} relative to the data.
//
//===----------------------------------------------------------------------===//

#include "tripy/Runtime/IO/SafeTensors.h"

#include "Bytes.h"
#include "JsonCursor.h"
#include "NpyHeader.h"

#include "tripy/Base/Text.h"

#include <algorithm>
#include <new>
#include <numeric>
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
  explicit SafeTensorsReader(std::shared_ptr<const Source> source) {
    result.source = std::move(source);
  }
  Result<SafeTensors> read();

private:
  Status readFrame();
  Status readHeader();
  Status readMetadata(JsonCursor &cursor);
  Status readTensor(JsonCursor &cursor, std::string_view name);
  Status readFields(JsonCursor &cursor, SafeTensor &tensor);
  Status readField(JsonCursor &cursor, std::string_view key,
                   SafeTensor &tensor);
  Status readShape(JsonCursor &cursor, SafeTensor &tensor);
  Status checkSize(const SafeTensor &tensor);
  Status checkNames();
  Status checkLayout();
  std::vector<uint32_t> sortByName() const;
  Status checkMetadata();

  /// Bytes behind the header. Offsets in the file count from there.
  uint64_t dataBytes = 0;
  /// While the header is read: where the data of the tensor ends.
  uint64_t end = 0;
  SafeTensors result;
  bool sawMetadata = false;
};

} // namespace tripy::io

Result<SafeTensors> SafeTensorsReader::read() {
  for (auto step :
       {&SafeTensorsReader::readFrame, &SafeTensorsReader::readHeader,
        &SafeTensorsReader::checkMetadata, &SafeTensorsReader::checkNames,
        &SafeTensorsReader::checkLayout})
    if (Status status = (this->*step)(); !status.isOk())
      return status;
  return std::move(result);
}

Status SafeTensorsReader::readFrame() {
  const Source &source = *result.source;
  if (source.size() < 8)
    return Status(Code::Truncated,
                  "a safetensors file has at least 8 bytes, found " +
                      std::to_string(source.size()));
  uint8_t frame[8];
  if (Status status = source.read(0, frame); !status.isOk())
    return status;
  uint64_t length = loadLittle(frame, 0, 8);
  if (length > maxSafeTensorsHeader)
    return Status(Code::LimitExceeded,
                  "the header of a safetensors file has at most 100000000 "
                  "bytes, this one declares " +
                      std::to_string(length));
  if (length > source.size() - 8)
    return Status(Code::Truncated,
                  "the header declares " + std::to_string(length) +
                      " bytes, the file has " +
                      std::to_string(source.size() - 8) + " after its length");
  // A copy: what was checked cannot change under us.
  result.header.resize(length);
  if (Status status = source.read(
          8, {reinterpret_cast<uint8_t *>(result.header.data()), length});
      !status.isOk())
    return status;
  dataBytes = source.size() - 8 - length;
  if (length == 0 || result.header[0] != '{')
    return Status(Code::Malformed,
                  "the header of a safetensors file starts with '{'");
  return Status::ok();
}

Status SafeTensorsReader::readHeader() {
  // Each description has one pair of brackets for its shape and one for its
  // offsets: to grow the list step by step would take twice the memory.
  auto brackets = static_cast<size_t>(
      std::count(result.header.begin(), result.header.end(), ']'));
  result.list.reserve(std::min(brackets / 2, result.header.size() / 48 + 1));
  JsonCursor cursor(result.header);
  if (Status status = cursor.expect('{', "the header"); !status.isOk())
    return status;
  std::string_view name;
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
  // As for the tensors: a pair has four quotes, and eight bytes.
  auto quotes = static_cast<size_t>(
      std::count(result.header.begin(), result.header.end(), '"'));
  result.texts.reserve(std::min(quotes / 4, result.header.size() / 8 + 1));
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

Status SafeTensorsReader::readTensor(JsonCursor &cursor,
                                     std::string_view name) {
  if (name.empty())
    return cursor.error("a tensor name may not be empty");
  SafeTensor tensor;
  tensor.name = name;
  Status status = readFields(cursor, tensor);
  if (status.isOk())
    status = checkSize(tensor);
  if (!status.isOk())
    return std::move(status).withContext(quoted(name));
  tensor.bytes = end - tensor.offset;
  result.list.push_back(tensor);
  return Status::ok();
}

Status SafeTensorsReader::readFields(JsonCursor &cursor, SafeTensor &tensor) {
  constexpr std::string_view where = "a tensor's description";
  if (Status status = cursor.expect('{', where); !status.isOk())
    return status;
  static constexpr std::string_view fields[] = {"dtype", "shape",
                                                "data_offsets"};
  bool seen[3] = {};
  std::string_view key;
  for (int count = 0; !cursor.consume('}'); ++count) {
    if (count > 0)
      if (Status status = cursor.expect(',', where); !status.isOk())
        return status;
    if (Status status = cursor.readString(key, "a field name"); !status.isOk())
      return status;
    size_t field = static_cast<size_t>(
        std::find(std::begin(fields), std::end(fields), key) -
        std::begin(fields));
    if (field == std::size(fields))
      return Status(Code::Malformed,
                    concat("a description has the fields dtype, shape and "
                           "data_offsets, found '",
                           printable(key), "'"));
    if (std::exchange(seen[field], true))
      return Status(Code::Malformed,
                    concat("the field '", key, "' appears twice"));
    if (Status status = cursor.expect(':', where); !status.isOk())
      return status;
    if (Status status = readField(cursor, fields[field], tensor);
        !status.isOk())
      return status;
  }
  for (size_t field = 0; field < std::size(fields); ++field)
    if (!seen[field])
      return Status(Code::Malformed,
                    concat("the field '", fields[field], "' is missing"));
  return Status::ok();
}

Status SafeTensorsReader::readField(JsonCursor &cursor, std::string_view key,
                                    SafeTensor &tensor) {
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
  if (Status status = cursor.readInteger(tensor.offset, "an offset");
      !status.isOk())
    return status;
  if (Status status = cursor.expect(',', where); !status.isOk())
    return status;
  if (Status status = cursor.readInteger(end, "an offset"); !status.isOk())
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

Status SafeTensorsReader::checkSize(const SafeTensor &tensor) {
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
  if (tensor.offset > end)
    return Status(Code::Malformed,
                  "data_offsets begin at " + std::to_string(tensor.offset) +
                      ", after their end " + std::to_string(end));
  if (end - tensor.offset != bits / 8)
    return Status(Code::Malformed, "data_offsets span " +
                                       std::to_string(end - tensor.offset) +
                                       " bytes, shape " + tensor.shape.str() +
                                       " of " + std::string(tensor.dtypeText) +
                                       " needs " + std::to_string(bits / 8));
  if (end > dataBytes)
    return Status(Code::Truncated, "the data ends at byte " +
                                       std::to_string(end) + ", the file has " +
                                       std::to_string(dataBytes) +
                                       " bytes of data");
  return Status::ok();
}

// Names are compared by sorting, not by hashing: a file cannot choose some that
// collide.

Status SafeTensorsReader::checkMetadata() {
  const MetadataView &texts = result.texts;
  std::vector<uint32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return texts[a].first < texts[b].first;
  });
  auto twice = std::adjacent_find(
      order.begin(), order.end(),
      [&](uint32_t a, uint32_t b) { return texts[a].first == texts[b].first; });
  if (twice != order.end())
    return Status(Code::Malformed,
                  concat("the metadata key '", printable(texts[*twice].first),
                         "' appears twice"));
  return Status::ok();
}

std::vector<uint32_t> SafeTensorsReader::sortByName() const {
  std::vector<uint32_t> order(result.list.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return result.list[a].name < result.list[b].name;
  });
  return order;
}

Status SafeTensorsReader::checkNames() {
  std::vector<uint32_t> order = sortByName();
  auto twice = std::adjacent_find(
      order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return result.list[a].name == result.list[b].name;
      });
  if (twice != order.end())
    return Status(Code::Malformed,
                  quoted(result.list[*twice].name) + " appears twice");
  return Status::ok();
}

/// Each byte of the data belongs to one tensor.
Status SafeTensorsReader::checkLayout() {
  // Names of one file stand in the order of its text.
  std::sort(result.list.begin(), result.list.end(),
            [](const SafeTensor &a, const SafeTensor &b) {
              return std::tuple(a.offset, a.bytes, a.name.data()) <
                     std::tuple(b.offset, b.bytes, b.name.data());
            });
  uint64_t end = 0;
  for (SafeTensor &tensor : result.list) {
    if (tensor.offset != end)
      return Status(
          Code::Malformed,
          concat(quoted(tensor.name), ": its data begins at byte ",
                 tensor.offset, ", which ",
                 tensor.offset < end ? "overlaps" : "leaves a hole to",
                 " the data before it, which ends at byte ", end));
    end += tensor.bytes;
    tensor.offset += 8 + result.header.size();
    if (result.source->isMemory())
      if (Status status = checkElements(
              tensor.dtype,
              result.source->memory().subspan(tensor.offset, tensor.bytes));
          !status.isOk())
        return std::move(status).withContext(quoted(tensor.name));
  }
  if (end != dataBytes)
    return Status(Code::Malformed,
                  concat("the last tensor ends at byte ", end, " of the data, ",
                         dataBytes - end, " bytes follow that belong to none"));
  result.byName = sortByName();
  return Status::ok();
}

static Result<SafeTensors> readSource(std::shared_ptr<const Source> source) {
  try {
    return SafeTensorsReader(std::move(source)).read();
  } catch (const std::bad_alloc &) {
    return Status(Code::HostOutOfMemory, "no memory for what the header says");
  }
}

Result<SafeTensors> SafeTensors::parse(std::span<const uint8_t> bytes) {
  return readSource(std::make_shared<Source>(bytes));
}

Result<SafeTensors> SafeTensors::open(const std::string &path) {
  Result<std::shared_ptr<const Source>> source = Source::open(path);
  if (!source)
    return source.status();
  Result<SafeTensors> result = readSource(std::move(*source));
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

Result<const SafeTensor *>
SafeTensors::findUsable(std::string_view name) const {
  const SafeTensor *tensor = find(name);
  if (!tensor) {
    ClosestName closest(name);
    for (const SafeTensor &candidate : list)
      closest.consider(candidate.name);
    return Status(Code::NotFound,
                  "there is no " + quoted(name) + closest.suggestion());
  }
  if (!tensor->dtype)
    return Status(Code::Unsupported,
                  concat(quoted(name), " has element type ", tensor->dtypeText,
                         ", which Tripy does not have"));
  return tensor;
}

Result<TensorView> SafeTensors::describe(std::string_view name) const {
  Result<const SafeTensor *> tensor = findUsable(name);
  if (!tensor)
    return tensor.status();
  return TensorView{*(*tensor)->dtype, DeviceKind::CPU, 0, (*tensor)->shape,
                    nullptr};
}

Result<HostTensor> SafeTensors::read(std::string_view name) const {
  Result<const SafeTensor *> found = findUsable(name);
  if (!found)
    return found.status();
  const SafeTensor &tensor = **found;
  Result<HostTensor> copy = HostTensor::create(*tensor.dtype, tensor.shape);
  if (!copy)
    return Status(copy.status()).withContext(quoted(name));
  if (Status status = source->read(tensor.offset, {copy->data(), tensor.bytes});
      !status.isOk())
    return status;
  if (Status status = checkElements(copy->dtype(), copy->span());
      !status.isOk())
    return std::move(status).withContext(quoted(name));
  return copy;
}
