//===- Source.h - Where a tensor file's bytes come from ---------*- C++ -*-===//
//
// Files are read, not mapped: one that becomes shorter is an error, not a
// signal. Private to Runtime/IO.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_IO_SOURCE_H
#define TRIPY_RUNTIME_IO_SOURCE_H

#include "tripy/Base/File.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace tripy::io {

/// A file, or bytes in memory that outlive this object.
class Source {
public:
  static Result<std::shared_ptr<const Source>> open(const std::string &path) {
    Result<InputFile> file = InputFile::open(path);
    if (!file)
      return file.status();
    auto source = std::make_shared<Source>(std::span<const uint8_t>());
    source->file = std::move(*file);
    return std::shared_ptr<const Source>(std::move(source));
  }
  explicit Source(std::span<const uint8_t> bytes) : bytes(bytes) {}

  uint64_t size() const { return file ? file->size() : bytes.size(); }
  /// Whether memory() has the bytes.
  bool isMemory() const { return !file; }
  std::span<const uint8_t> memory() const { return bytes; }
  /// Fills `out` from byte `offset` on; they lie within size(). Errors: Io.
  Status read(uint64_t offset, std::span<uint8_t> out) const {
    if (file)
      return file->read(offset, out);
    std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(offset), out.size(),
                out.begin());
    return Status::ok();
  }

private:
  std::optional<InputFile> file;
  std::span<const uint8_t> bytes;
};

/// Bytes that are read from front to back.
class ByteStream {
public:
  virtual ~ByteStream() = default;
  /// Fills `out` with the next bytes.
  virtual Status read(std::span<uint8_t> out) = 0;
};

/// The bytes of a source from one place on.
class SourceStream : public ByteStream {
public:
  SourceStream(const Source &source, uint64_t offset)
      : source(source), offset(offset) {}
  Status read(std::span<uint8_t> out) override {
    Status status = source.read(offset, out);
    offset += out.size();
    return status;
  }

private:
  const Source &source;
  uint64_t offset;
};

} // namespace tripy::io

#endif // TRIPY_RUNTIME_IO_SOURCE_H
