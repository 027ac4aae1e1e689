//===- File.h - Files, read and written whole -------------------*- C++ -*-===//
//
// Reading, mapping and atomic replacement of regular files. Directories,
// devices and pipes are refused, so that no path can block or run away. Base
// only; anyone may use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_FILE_H
#define TRIPY_BASE_FILE_H

#include "tripy/Base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tripy {

/// Contents of a regular file of at most `limit` bytes. Errors: NotFound, Io,
/// InvalidArgument (not a regular file), LimitExceeded, HostOutOfMemory.
Result<std::vector<uint8_t>> readFile(const std::string &path,
                                      uint64_t limit = uint64_t(1) << 40);

/// A regular file mapped for reading. The mapping is of the file as it is:
/// whoever replaces a file in use must do it by rename (as FileWriter does),
/// not by truncation. Movable.
class MappedFile {
public:
  /// Errors: NotFound, Io, InvalidArgument (not a regular file).
  static Result<MappedFile> open(const std::string &path);
  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();
  /// Start is aligned to a page.
  std::span<const uint8_t> bytes() const { return {start, size}; }

private:
  const uint8_t *start = nullptr;
  uint64_t size = 0;
};

/// Where bytes go, front to back.
class ByteSink {
public:
  virtual ~ByteSink() = default;
  virtual Status write(std::span<const uint8_t> bytes) = 0;
};

/// Collects in memory.
class VectorSink : public ByteSink {
public:
  Status write(std::span<const uint8_t> bytes) override {
    data.insert(data.end(), bytes.begin(), bytes.end());
    return Status::ok();
  }
  std::vector<uint8_t> data;
};

/// Writes to a temporary name in the directory of `path`; commit() makes it
/// durable and renames it over `path`. Without commit() nothing is left behind
/// and an old file is untouched. Movable.
class FileWriter : public ByteSink {
public:
  /// Errors: InvalidArgument (`path` is empty, a directory or no regular
  /// file), NotFound (no such directory), Io.
  static Result<FileWriter> create(const std::string &path);
  FileWriter(FileWriter &&other) noexcept;
  FileWriter &operator=(FileWriter &&other) noexcept;
  ~FileWriter() override;
  Status write(std::span<const uint8_t> bytes) override;
  /// Errors: Io. Call once, last.
  Status commit();

private:
  FileWriter() = default;
  std::string target, temporary;
  int file = -1;
};

/// A regular file written in one go, atomically.
Status writeFile(const std::string &path, std::span<const uint8_t> bytes);

} // namespace tripy

#endif // TRIPY_BASE_FILE_H
