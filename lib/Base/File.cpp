//===- File.cpp - Files, read and written whole ---------------------------===//

#include "tripy/Base/File.h"
#include "tripy/Base/Text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace tripy;

namespace {

/// A file descriptor that is closed with the object.
struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
};

std::string quoted(const std::string &path) {
  return concat("'", printable(path, 1024), "'");
}

Status systemError(const std::string &what, const std::string &path,
                   int error) {
  Code code = error == ENOENT ? Code::NotFound : Code::Io;
  return Status(code, concat("cannot ", what, " ", quoted(path), ": ",
                             std::strerror(error)));
}

Status notRegular(const std::string &path, mode_t mode) {
  return Status(Code::InvalidArgument,
                concat(quoted(path), " must be a regular file, but is ",
                       S_ISDIR(mode) ? "a directory" : "a special file"));
}

/// Opens a regular file for reading and finds its size.
Status openRegular(const std::string &path, Descriptor &file, uint64_t &size) {
  if (path.find('\0') != std::string::npos)
    return Status(Code::InvalidArgument, "a file name contains a zero byte");
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  file.number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.number < 0)
    return systemError("open", path, errno);
  struct stat info;
  if (::fstat(file.number, &info) != 0)
    return systemError("read", path, errno);
  if (!S_ISREG(info.st_mode))
    return notRegular(path, info.st_mode);
  size = uint64_t(info.st_size);
  return Status::ok();
}

} // namespace

Result<std::vector<uint8_t>> tripy::readFile(const std::string &path,
                                             uint64_t limit) {
  Descriptor file;
  uint64_t size = 0;
  if (Status status = openRegular(path, file, size); !status.isOk())
    return status;
  if (size > limit)
    return Status(Code::LimitExceeded,
                  concat(quoted(path), " may have at most ", formatBytes(limit),
                         ", but has ", formatBytes(size)));
  std::vector<uint8_t> bytes;
  try {
    bytes.resize(size);
  } catch (const std::bad_alloc &) {
    return Status(
        Code::HostOutOfMemory,
        concat("no memory for ", formatBytes(size), " of ", quoted(path)));
  } catch (const std::length_error &) {
    return Status(
        Code::HostOutOfMemory,
        concat("no memory for ", formatBytes(size), " of ", quoted(path)));
  }
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t count =
        ::read(file.number, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError("read", path, errno);
    if (count == 0)
      return Status(Code::Io,
                    concat(quoted(path), " became shorter while it was read"));
    done += size_t(count);
  }
  return bytes;
}

Result<MappedFile> MappedFile::open(const std::string &path) {
  Descriptor file;
  uint64_t size = 0;
  if (Status status = openRegular(path, file, size); !status.isOk())
    return status;
  MappedFile mapped;
  if (size == 0)
    return mapped;
  void *start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (start == MAP_FAILED)
    return systemError("map", path, errno);
  mapped.start = static_cast<const uint8_t *>(start);
  mapped.size = size;
  return mapped;
}

MappedFile::MappedFile(MappedFile &&other) noexcept {
  *this = std::move(other);
}
MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(start, other.start);
  std::swap(size, other.size);
  return *this;
}
MappedFile::~MappedFile() {
  if (start)
    ::munmap(const_cast<uint8_t *>(start), size);
}

static std::string directoryOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<FileWriter> FileWriter::create(const std::string &path) {
  if (path.empty() || path.find('\0') != std::string::npos)
    return Status(Code::InvalidArgument, "a file name may not be empty");
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return notRegular(path, info.st_mode);
  if (path.back() == '/')
    return Status(Code::InvalidArgument,
                  concat(quoted(path), " names a directory"));
  FileWriter writer;
  writer.target = path;
  // A name nobody else has; O_EXCL proves it.
  for (int attempt = 0; attempt < 16 && writer.file < 0; ++attempt) {
    uint32_t number = 0;
    if (::getrandom(&number, sizeof(number), 0) != sizeof(number))
      number = uint32_t(::getpid()) + uint32_t(attempt);
    std::string name = concat(path, ".tmp-", number);
    writer.file =
        ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (writer.file >= 0)
      writer.temporary = std::move(name); // Copying could fail here.
    else if (errno != EEXIST)
      break;
  }
  if (writer.file < 0)
    return systemError("write", path, errno);
  return writer;
}

FileWriter::FileWriter(FileWriter &&other) noexcept {
  *this = std::move(other);
}
FileWriter &FileWriter::operator=(FileWriter &&other) noexcept {
  std::swap(target, other.target);
  std::swap(temporary, other.temporary);
  std::swap(file, other.file);
  return *this;
}
FileWriter::~FileWriter() {
  if (file >= 0)
    ::close(file);
  if (!temporary.empty())
    ::unlink(temporary.c_str());
}

Status FileWriter::write(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError("write", target, errno);
    bytes = bytes.subspan(size_t(count));
  }
  return Status::ok();
}

Status FileWriter::commit() {
  if (::fsync(file) != 0)
    return systemError("write", target, errno);
  int closed = ::close(std::exchange(file, -1));
  if (closed != 0)
    return systemError("write", target, errno);
  if (::rename(temporary.c_str(), target.c_str()) != 0)
    return systemError("write", target, errno);
  temporary.clear();
  // Makes the new name durable; not every file system can, which is no reason
  // to call the write failed.
  Descriptor directory;
  directory.number =
      ::open(directoryOf(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory.number >= 0)
    (void)!::fsync(directory.number);
  return Status::ok();
}

Status tripy::writeFile(const std::string &path,
                        std::span<const uint8_t> bytes) {
  Result<FileWriter> writer = FileWriter::create(path);
  if (!writer)
    return writer.status();
  if (Status status = writer->write(bytes); !status.isOk())
    return status;
  return writer->commit();
}
