//===- SafeTensorsWriter.cpp - Writing .safetensors -----------------------===//

#include "Bytes.h"
#include "JsonCursor.h"

#include "tripy/Base/CheckedMath.h"
#include "tripy/Base/File.h"
#include "tripy/Base/Text.h"
#include "tripy/Runtime/IO/SafeTensors.h"

#include <algorithm>

using namespace tripy;
using namespace tripy::io;

/// Checks names and places of all tensors and sorts them: widest first keeps
/// every tensor aligned to its element, then by name.
static Status orderTensors(std::span<const NamedTensor> tensors,
                           std::vector<const NamedTensor *> &order) {
  for (const NamedTensor &tensor : tensors) {
    if (!isTensorName(tensor.name) || tensor.name == "__metadata__")
      return Status(Code::InvalidArgument,
                    concat("a tensor name is UTF-8, not empty, without NUL "
                           "and not '__metadata__', found '",
                           printable(tensor.name), "'"));
    if (tensor.view.device != DeviceKind::CPU ||
        !tensor.view.shape.bytes(tensor.view.dtype))
      return Status(Code::InvalidArgument,
                    concat("tensor '", printable(tensor.name),
                           "': a tensor to write is dense and in host memory"));
    order.push_back(&tensor);
  }
  std::sort(order.begin(), order.end(),
            [](const NamedTensor *a, const NamedTensor *b) {
              return a->name < b->name;
            });
  auto twice =
      std::adjacent_find(order.begin(), order.end(),
                         [](const NamedTensor *a, const NamedTensor *b) {
                           return a->name == b->name;
                         });
  if (twice != order.end())
    return Status(
        Code::InvalidArgument,
        concat("tensor '", printable((*twice)->name), "' is given twice"));
  std::sort(order.begin(), order.end(),
            [](const NamedTensor *a, const NamedTensor *b) {
              size_t left = dtypeSize(a->view.dtype);
              size_t right = dtypeSize(b->view.dtype);
              return left != right ? left > right : a->name < b->name;
            });
  return Status::ok();
}

static void appendTensor(std::string &header, const NamedTensor &tensor,
                         uint64_t begin, uint64_t end) {
  appendJsonString(header, tensor.name);
  header += ":{\"dtype\":";
  // The format has no type for elements that share a byte.
  bool packed = isPacked(tensor.view.dtype);
  appendJsonString(
      header, dtypeInfo(packed ? DType::U8 : tensor.view.dtype).safetensors);
  header += ",\"shape\":[";
  if (packed)
    header += concat(end - begin);
  for (uint32_t dim = 0; !packed && dim < tensor.view.shape.rank(); ++dim)
    header += concat(dim ? "," : "", tensor.view.shape[dim]);
  header += concat("],\"data_offsets\":[", begin, ",", end, "]}");
}

static Status appendMetadata(std::string &header, const Metadata &metadata) {
  std::vector<std::string_view> keys;
  header += "\"__metadata__\":{";
  for (const auto &[key, value] : metadata) {
    if (!isUtf8(key) || !isUtf8(value) ||
        concat(key, value).find('\0') != std::string::npos)
      return Status(Code::InvalidArgument, "metadata is UTF-8 without NUL");
    header += keys.empty() ? "" : ",";
    appendJsonString(header, key);
    header += ':';
    appendJsonString(header, value);
    keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end());
  if (auto twice = std::adjacent_find(keys.begin(), keys.end());
      twice != keys.end())
    return Status(
        Code::InvalidArgument,
        concat("the metadata key '", printable(*twice), "' is given twice"));
  header += '}';
  return Status::ok();
}

static Result<std::string>
buildHeader(std::span<const NamedTensor *const> order,
            const Metadata &metadata) {
  std::string header = "{";
  if (!metadata.empty())
    if (Status status = appendMetadata(header, metadata); !status.isOk())
      return status;
  uint64_t offset = 0;
  for (const NamedTensor *tensor : order) {
    std::optional<uint64_t> end =
        checkedAdd(offset, *tensor->view.shape.bytes(tensor->view.dtype));
    if (!end)
      return Status(Code::LimitExceeded,
                    "the tensors together have more bytes than 2^64");
    header += header.size() > 1 ? "," : "";
    appendTensor(header, *tensor, offset, *end);
    offset = *end;
  }
  header += '}';
  // The data starts at a multiple of 8, the widest element.
  header.append((8 - header.size() % 8) % 8, ' ');
  if (header.size() > maxSafeTensorsHeader)
    return Status(Code::LimitExceeded,
                  concat("the header of a safetensors file has at most ",
                         maxSafeTensorsHeader, " bytes, this one needs ",
                         header.size()));
  return header;
}

Status io::writeSafeTensors(const std::string &path,
                            std::span<const NamedTensor> tensors,
                            const Metadata &metadata) {
  std::vector<const NamedTensor *> order;
  if (Status status = orderTensors(tensors, order); !status.isOk())
    return status;
  Result<std::string> header = buildHeader(order, metadata);
  if (!header)
    return header.status();
  Result<FileWriter> file = FileWriter::create(path);
  if (!file)
    return file.status();
  std::string length;
  appendLittle(length, header->size(), 8);
  if (Status status = file->write(asBytes(length)); !status.isOk())
    return status;
  if (Status status = file->write(asBytes(*header)); !status.isOk())
    return status;
  for (const NamedTensor *tensor : order) {
    std::span<const uint8_t> data(
        static_cast<const uint8_t *>(tensor->view.data),
        *tensor->view.shape.bytes(tensor->view.dtype));
    if (Status status = file->write(data); !status.isOk())
      return status;
  }
  return file->commit();
}
