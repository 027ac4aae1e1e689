//===- File.h - Files, read and written whole -------------------*- C++ -*-===//
//
// Reading, mapping and atomic replacement of regular files. Where files are
// read, directories, devices and pipes are refused, so that no path can block
// or run away. Base only; anyone may use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_FILE_H
#define TRIPY_BASE_FILE_H

#include "tripy/Base/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tripy {

/// Contents of a regular file of at most `limit` bytes. Errors: NotFound, Io,
/// InvalidArgument (not a regular file), LimitExceeded, HostOutOfMemory.
Result<std::vector<uint8_t>> readFile(const std::string &path,
                                      uint64_t limit = uint64_t(1) << 40);

/// A regular file open for reading at any place. Movable; threads may share it.
class InputFile {
public:
  /// Errors: NotFound, Io, InvalidArgument (not a regular file).
  static Result<InputFile> open(const std::string &path);
  InputFile(InputFile &&other) noexcept;
  InputFile &operator=(InputFile &&other) noexcept;
  ~InputFile();
  /// Bytes at the time of open().
  uint64_t size() const { return bytes; }
  /// Fills `out` from byte `offset` on. Errors: Io, also when the file has
  /// become shorter.
  Status read(uint64_t offset, std::span<uint8_t> out) const;

private:
  friend class MappedFile;
  InputFile() = default;
  std::string name;
  int descriptor = -1;
  uint64_t bytes = 0;
};

/// A regular file mapped for reading. The mapping is of the file as it is: when
/// the file becomes shorter, touching what is gone ends the process by SIGBUS.
/// Whoever replaces a file in use must do it by rename, as FileWriter does.
/// What cannot be trusted to stay is read with InputFile. Movable.
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

/// What a path leads to: equal for two paths of one file, whether it exists
/// ("o.npy", "./o.npy", symbolic and hard links) or not.
struct FileIdentity {
  uint64_t device = 0, inode = 0;
  /// A device, which takes any number of outputs.
  bool isDevice = false;
  /// Of a file that does not exist: its name in the folder above.
  std::string name;
  bool operator==(const FileIdentity &) const = default;
};
/// None when not even the folder exists.
std::optional<FileIdentity> identifyFile(const std::string &path);

/// Whether a file's bytes reach the disk before it gets its name.
enum class Durability { Durable, Fast };

/// What a writer puts behind the name of its file, or the start of it, followed
/// by a small number.
inline constexpr std::string_view temporarySuffix = ".tripy.tmp-";

/// Removes the file `path` when it is the temporary file of a writer whose
/// process is gone.
void removeAbandoned(const char *path);

/// Writes a file under a temporary name beside `path`, and renames it over
/// `path` at the end. Without commit() nothing is left behind and an old file
/// is untouched. Movable.
///
/// A symbolic link stays, and what it leads to is replaced; an old file's
/// permissions stay. A file that cannot be replaced (a mount point, or in a
/// folder that may not be written) is overwritten in place, after everything
/// has been written elsewhere: an interruption in that moment leaves a part.
///
/// A character device, a pipe and an open descriptor (/dev/null, /dev/stdout)
/// get the bytes in commit(), after all of them have been written elsewhere.
///
/// What a process that ended left under a temporary name of the same `path` is
/// removed by the next writer, and by handleSignals() at a signal.
class FileWriter : public ByteSink {
public:
  /// Waits for the reader of a pipe. Errors: InvalidArgument (`path` is empty,
  /// a directory, a block device or a socket), NotFound (no such directory),
  /// LimitExceeded (too many at a time), Io.
  static Result<FileWriter> create(const std::string &path,
                                   Durability durability = Durability::Durable);
  FileWriter(FileWriter &&other) noexcept;
  FileWriter &operator=(FileWriter &&other) noexcept;
  ~FileWriter() override;
  Status write(std::span<const uint8_t> bytes) override;
  /// Gives the file its name. Errors: Io. Call once, last.
  Status commit();
  /// commit() of several files: all are complete before the first gets its
  /// name. When that fails for one all the same, those before it keep theirs,
  /// and the message names them.
  static Status commitAll(std::span<FileWriter> writers);

private:
  FileWriter() = default;
  Status claimName(const std::string &prefix);
  Status claim(const std::string &name, bool &taken);
  int openTarget() const;
  Status stage();
  Status reserveRoom();
  Status prepare();
  Status giveName();
  Status overwrite();
  void discard();

  /// As the user wrote it, and without links.
  std::string shown, target;
  std::string temporary;
  Durability durability = Durability::Durable;
  int file = -1;
  /// Holds the lock on the temporary file after `file` was closed.
  int lock = -1;
  /// Number in the table of temporary files.
  int entry = -1;
  /// Open for the target when it is overwritten in place.
  int place = -1;
  /// The target is a device, a pipe or a descriptor: it gets the bytes, and
  /// nothing else is done with it.
  bool isStream = false;
};

/// A file written in one go, atomically.
Status writeFile(const std::string &path, std::span<const uint8_t> bytes);

} // namespace tripy

#endif // TRIPY_BASE_FILE_H
