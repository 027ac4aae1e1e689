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

namespace {

/// Puts column-major elements of `size` bytes where they belong in row-major
/// order, piece by piece.
class FortranScatter {
public:
  FortranScatter(HostTensor &tensor, size_t size)
      : tensor(tensor), shape(tensor.shape()), size(size) {
    uint64_t step = size;
    for (uint32_t dim = shape.rank(); dim-- > 0;) {
      stride[dim] = step;
      step *= static_cast<uint64_t>(shape[dim]);
    }
  }

  void put(std::span<const uint8_t> bytes) {
    for (; !bytes.empty(); bytes = bytes.subspan(size)) {
      std::memcpy(tensor.data() + at, bytes.data(), size);
      for (uint32_t dim = 0; dim < shape.rank(); ++dim) {
        at += stride[dim];
        if (++index[dim] < static_cast<uint64_t>(shape[dim]))
          break;
        at -= stride[dim] * static_cast<uint64_t>(shape[dim]);
        index[dim] = 0;
      }
    }
  }

private:
  HostTensor &tensor;
  Shape shape;
  size_t size;
  uint64_t at = 0;
  std::array<uint64_t, runtime::maxRank> stride = {}, index = {};
};

/// Reads the elements.
Status readElements(ByteStream &stream, const NpyHeader &header,
                    HostTensor &tensor) {
  std::span<uint8_t> all(tensor.data(), tensor.bytes());
  if (!header.fortranOrder || header.shape.rank() < 2)
    return stream.read(all);
  size_t size = dtypeSize(typeInFile(header.dtype));
  FortranScatter scatter(tensor, size);
  // A multiple of each element's size.
  std::vector<uint8_t> piece(std::min<uint64_t>(all.size(), 1 << 16));
  for (uint64_t left = all.size(); left > 0; left -= piece.size()) {
    piece.resize(std::min<uint64_t>(left, piece.size()));
    if (Status status = stream.read(piece); !status.isOk())
      return status;
    scatter.put(piece);
  }
  return Status::ok();
}

/// `bytes`, one for each element of int4, two to a byte.
Result<HostTensor> packElements(const HostTensor &bytes, DType dtype) {
  std::span<const int8_t> values = bytes.as<int8_t>();
  auto outside = std::find_if(values.begin(), values.end(), [](int8_t value) {
    return value < -8 || value > 7;
  });
  if (outside != values.end())
    return Status(Code::Malformed,
                  concat("elements of int4 are from -8 to 7, but element ",
                         outside - values.begin(), " is ", int(*outside)));
  Result<HostTensor> tensor = HostTensor::create(dtype, bytes.shape());
  if (!tensor)
    return tensor;
  for (uint64_t i = 0; i < values.size(); ++i)
    tensor->data()[i / 2] =
        packI4(i % 2 ? tensor->data()[i / 2] : 0, i % 2, values[i]);
  return tensor;
}

} // namespace

DType io::typeInFile(DType dtype) {
  return isPacked(dtype) ? DType::I8 : dtype;
}

Result<HostTensor> io::unpackElements(const TensorView &tensor) {
  Result<HostTensor> bytes = HostTensor::create(DType::I8, tensor.shape);
  if (!bytes)
    return bytes;
  auto packed = static_cast<const uint8_t *>(tensor.data);
  for (uint64_t i = 0; i < bytes->bytes(); ++i)
    bytes->as<int8_t>()[i] = unpackI4(packed[i / 2], i % 2);
  return bytes;
}

Status io::checkElements(std::optional<DType> dtype,
                         std::span<const uint8_t> data) {
  if (dtype == DType::Bool &&
      std::any_of(data.begin(), data.end(), [](uint8_t b) { return b > 1; }))
    return Status(Code::Malformed, "an element of type bool is 0 or 1");
  return Status::ok();
}

Result<HostTensor> io::readNpyStream(ByteStream &stream, uint64_t size,
                                     const NpyOptions &options) {
  Result<NpyHeader> header = readNpyHeader(stream, size, options);
  if (!header)
    return header.status();
  if (options.check)
    if (Status status = options.check(header->dtype, header->shape);
        !status.isOk())
      return status;
  std::optional<uint64_t> bytes =
      header->shape.bytes(typeInFile(header->dtype));
  if (!bytes)
    return Status(Code::Malformed,
                  "the size of shape " + header->shape.str() + " overflows");
  uint64_t found = size - header->dataOffset;
  // Before any allocation: what is allocated is in the file.
  if (*bytes != found)
    return Status(found < *bytes ? Code::Truncated : Code::Malformed,
                  "shape " + header->shape.str() + " of " +
                      std::string(dtypeName(header->dtype)) + " needs " +
                      std::to_string(*bytes) + " bytes, the file has " +
                      std::to_string(found));
  Result<HostTensor> tensor =
      HostTensor::create(typeInFile(header->dtype), header->shape);
  if (!tensor)
    return tensor;
  if (found > 0)
    if (Status status = readElements(stream, *header, *tensor); !status.isOk())
      return status;
  if (isPacked(header->dtype))
    return packElements(*tensor, header->dtype);
  return tensor;
}

static Result<HostTensor> readWhole(const Source &source,
                                    const NpyOptions &options) {
  SourceStream stream(source, 0);
  Result<HostTensor> tensor = readNpyStream(stream, source.size(), options);
  if (!tensor)
    return tensor;
  if (Status status = checkElements(tensor->dtype(), tensor->span());
      !status.isOk())
    return status;
  return tensor;
}

Result<HostTensor> io::parseNpy(std::span<const uint8_t> bytes,
                                const NpyOptions &options) {
  return readWhole(Source(bytes), options);
}

Result<HostTensor> io::readNpy(const std::string &path,
                               const NpyOptions &options) {
  Result<std::shared_ptr<const Source>> source = Source::open(path);
  if (!source)
    return source.status();
  Result<HostTensor> tensor = readWhole(**source, options);
  if (!tensor)
    return Status(tensor.status()).withContext("'" + printable(path) + "'");
  return tensor;
}

std::string io::npyHeader(DType dtype, const Shape &shape) {
  const DTypeInfo &info = dtypeInfo(typeInFile(dtype));
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

Status io::writeNpy(ByteSink &sink, const TensorView &tensor) {
  if (isPacked(tensor.dtype) && tensor.device == DeviceKind::CPU) {
    Result<HostTensor> bytes = unpackElements(tensor);
    return bytes ? writeNpy(sink, bytes->view()) : bytes.status();
  }
  std::optional<uint64_t> size = tensor.shape.bytes(tensor.dtype);
  if (tensor.device != DeviceKind::CPU || !size)
    return Status(Code::InvalidArgument,
                  "a tensor to write is dense and in host memory");
  std::string header = npyHeader(tensor.dtype, tensor.shape);
  if (Status status = sink.write(asBytes(header)); !status.isOk())
    return status;
  return sink.write({static_cast<const uint8_t *>(tensor.data), *size});
}

Status io::writeNpy(const std::string &path, const TensorView &tensor) {
  Result<FileWriter> file = FileWriter::create(path);
  if (!file)
    return file.status();
  if (Status status = writeNpy(*file, tensor); !status.isOk())
    return status;
  return file->commit();
}
