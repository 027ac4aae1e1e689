//===- Npy.cpp - Reading and writing .npy ---------------------------------===//

#include "tripy/Runtime/IO/Npy.h"

#include "Bytes.h"
#include "NpyHeader.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Text.h"

#include <algorithm>
#include <cstring>

using namespace tripy;
using namespace tripy::io;

/// Copies column-major elements of `size` bytes into row-major order.
static void copyFortran(const uint8_t *from, uint8_t *to, const Shape &shape,
                        size_t size, uint64_t elements) {
  std::array<uint64_t, runtime::maxRank> stride = {}, index = {};
  uint64_t step = size;
  for (uint32_t dim = 0; dim < shape.rank(); ++dim) {
    stride[dim] = step;
    step *= static_cast<uint64_t>(shape[dim]);
  }
  for (uint64_t i = 0; i < elements; ++i, to += size) {
    std::memcpy(to, from, size);
    for (uint32_t dim = shape.rank(); dim-- > 0;) {
      from += stride[dim];
      if (++index[dim] < static_cast<uint64_t>(shape[dim]))
        break;
      from -= stride[dim] * static_cast<uint64_t>(shape[dim]);
      index[dim] = 0;
    }
  }
}

Result<HostTensor> io::parseNpy(std::span<const uint8_t> bytes,
                                const NpyOptions &options) {
  Result<NpyHeader> header = readNpyHeader(bytes, options);
  if (!header)
    return header.status();
  std::optional<uint64_t> size = header->shape.bytes(header->dtype);
  if (!size)
    return Status(Code::Malformed,
                  "the size of shape " + header->shape.str() + " overflows");
  uint64_t found = bytes.size() - header->dataOffset;
  // Before any allocation: what is allocated is in the file.
  if (*size != found)
    return Status(found < *size ? Code::Truncated : Code::Malformed,
                  "shape " + header->shape.str() + " of " +
                      std::string(dtypeName(header->dtype)) + " needs " +
                      std::to_string(*size) + " bytes, the file has " +
                      std::to_string(found));
  const uint8_t *data = bytes.data() + header->dataOffset;
  if (header->dtype == DType::Bool &&
      std::any_of(data, data + found, [](uint8_t b) { return b > 1; }))
    return Status(Code::Malformed, "an element of type bool is 0 or 1");
  Result<HostTensor> tensor = HostTensor::create(header->dtype, header->shape);
  if (!tensor || found == 0)
    return tensor;
  if (header->fortranOrder && header->shape.rank() > 1)
    copyFortran(data, tensor->data(), header->shape, dtypeSize(header->dtype),
                tensor->elements());
  else
    std::memcpy(tensor->data(), data, found);
  return tensor;
}

Result<HostTensor> io::readNpy(const std::string &path,
                               const NpyOptions &options) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.status();
  Result<HostTensor> tensor = parseNpy(file->bytes(), options);
  if (!tensor)
    return Status(tensor.status()).withContext("'" + printable(path) + "'");
  return tensor;
}

std::string io::npyHeader(DType dtype, const Shape &shape) {
  const DTypeInfo &info = dtypeInfo(dtype);
  std::string text = "{'descr': '";
  text += info.npy.empty() ? "|V" + std::to_string(info.size)
                           : std::string(info.npy);
  text += "', 'fortran_order': False, 'shape': " + shape.str() + ", }";
  // The elements start at a multiple of 64 bytes, after a line feed.
  size_t total = (10 + text.size() + 1 + 63) / 64 * 64;
  text.append(total - 10 - text.size() - 1, ' ');
  text += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

Status io::writeNpy(const std::string &path, const TensorView &tensor) {
  std::optional<uint64_t> size = tensor.shape.bytes(tensor.dtype);
  if (tensor.device != DeviceKind::CPU || !size)
    return Status(Code::InvalidArgument,
                  "a tensor to write is dense and in host memory");
  std::string header = npyHeader(tensor.dtype, tensor.shape);
  Result<FileWriter> file = FileWriter::create(path);
  if (!file)
    return file.status();
  if (Status status = file->write(asBytes(header)); !status.isOk())
    return status;
  std::span<const uint8_t> data(static_cast<const uint8_t *>(tensor.data),
                                *size);
  if (Status status = file->write(data); !status.isOk())
    return status;
  return file->commit();
}
