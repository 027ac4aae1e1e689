//===- FileWriter.cpp - Files that are written whole or not at all --------===//
//
// Files without a name (O_TMPFILE) would need no cleaning, but a name that
// exists cannot be given to them: a temporary name is needed in any case, and
// not every file system has them.
//
//===----------------------------------------------------------------------===//

#include "FileErrors.h"
#include "TemporaryFiles.h"
#include "tripy/Base/File.h"

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>

using namespace tripy;

/// Names that writers of one target try in turn: so many may write it at once.
/// As names are few, what dead processes left is found without a search.
static constexpr int temporaryNames = 32;
/// Of the number in a temporary name.
static constexpr size_t maxDigits = 2;
static_assert(temporaryNames <= 100);

static std::string directoryOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

//===-- names -------------------------------------------------------------===//

/// Whether `path` stands for an open descriptor of a process: /proc/self/fd/1,
/// to which /dev/stdout is a link. What it leads to may have no name.
static bool isDescriptor(const std::string &path) {
  struct statfs info;
  return ::statfs(directoryOf(path).c_str(), &info) == 0 &&
         info.f_type == PROC_SUPER_MAGIC;
}

/// Follows symbolic links to a name that is none; it need not exist. The name
/// of a descriptor is where it ends, too.
static Status followLinks(std::string &path) {
  for (int i = 0; i < 40; ++i) {
    if (isDescriptor(path))
      return Status::ok();
    std::string text(PATH_MAX, '\0');
    ssize_t length = ::readlink(path.c_str(), text.data(), text.size());
    if (length < 0)
      return Status::ok();
    text.resize(size_t(length));
    path = text.starts_with("/") ? text : concat(directoryOf(path), "/", text);
  }
  return fileError("write", path, ELOOP);
}

std::optional<FileIdentity> tripy::identifyFile(const std::string &path) {
  std::string target = path;
  struct stat info;
  if (path.find('\0') != std::string::npos || !followLinks(target).isOk())
    return std::nullopt;
  FileIdentity identity;
  if (::stat(target.c_str(), &info) != 0) {
    if (::stat(directoryOf(target).c_str(), &info) != 0)
      return std::nullopt;
    identity.name = target.substr(target.rfind('/') + 1);
  } else {
    identity.isDevice = S_ISCHR(info.st_mode);
  }
  identity.device = info.st_dev;
  identity.inode = info.st_ino;
  return identity;
}

/// What temporary names of `target` start with, as short as they have to be.
static std::string temporaryPrefix(const std::string &target) {
  std::string directory = directoryOf(target);
  std::string name = target.substr(target.rfind('/') + 1);
  long limit = ::pathconf(directory.c_str(), _PC_NAME_MAX);
  size_t longest = limit > 0 ? size_t(limit) : NAME_MAX;
  size_t path = target.size() - name.size();
  longest = std::min(longest, PATH_MAX - 1 - std::min<size_t>(path, PATH_MAX));
  longest -= std::min(longest, temporarySuffix.size() + maxDigits);
  if (name.size() > longest) {
    // Not within a character: some file systems want UTF-8.
    while (longest > 0 && (uint8_t(name[longest]) & 0xc0) == 0x80)
      --longest;
    name.resize(longest);
  }
  return concat(target.substr(0, path), name, temporarySuffix);
}

//===-- the writer --------------------------------------------------------===//

/// Makes the temporary file `name`; `taken` is set when another writer has it.
Status FileWriter::claim(const std::string &name, bool &taken) {
  // Copied while failing leaves nothing behind.
  std::string own = name;
  // In the table before it exists, so that no signal comes in between.
  entry = reserveTemporary(name);
  if (entry < 0)
    return Status(Code::LimitExceeded,
                  concat("at most ", maxTemporaryFiles,
                         " files may be written at a time"));
  file = ::open(name.c_str(),
                O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  int error = errno;
  struct stat info;
  if (file >= 0) {
    ownTemporary(entry, file);
    // Where there are no locks nobody removes what may be in use. A lock that
    // another one has, or a file that is gone, says that one did so just now.
    bool locked = ::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (locked && ::fstat(file, &info) == 0 && info.st_nlink > 0) {
      temporary.swap(own);
      return Status::ok();
    }
    ::close(std::exchange(file, -1));
    error = EEXIST;
  }
  releaseTemporary(std::exchange(entry, -1));
  taken = error == EEXIST;
  return taken ? Status::ok() : fileError("write", shown, error);
}

Status FileWriter::claimName(const std::string &prefix) {
  for (int i = 0; i < temporaryNames; ++i) {
    std::string name = concat(prefix, i);
    removeAbandoned(name.c_str());
    bool taken = false;
    if (file < 0)
      if (Status status = claim(name, taken); !status.isOk())
        return status;
  }
  if (file < 0)
    return Status(Code::Io,
                  concat("cannot write ", quotedPath(shown), ": ",
                         temporaryNames, " other writers are at work on it"));
  return Status::ok();
}

/// Whether `path` cannot be renamed over: something is mounted there.
static bool isMountPoint(const std::string &path) {
  struct statx info;
  return ::statx(AT_FDCWD, path.c_str(), 0, STATX_TYPE, &info) == 0 &&
         (info.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) &&
         (info.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

/// A descriptor for the target, which exists.
int FileWriter::openTarget() const {
  // Another descriptor of the same open file: it is written where the last
  // writer stopped.
  struct stat named, own;
  std::string folder = directoryOf(target);
  if (isDescriptor(target) && ::stat(folder.c_str(), &named) == 0 &&
      ::stat("/proc/self/fd", &own) == 0 && named.st_ino == own.st_ino)
    return ::fcntl(std::atoi(target.c_str() + folder.size() + 1),
                   F_DUPFD_CLOEXEC, 0);
  // A pipe waits for its reader, as everywhere.
  return ::open(target.c_str(),
                O_WRONLY | O_CLOEXEC | O_NOCTTY | (isStream ? 0 : O_NONBLOCK));
}

/// Opens the target, which exists, to be overwritten, and a file without a
/// name for what is to be in it.
Status FileWriter::stage() {
  place = openTarget();
  if (place < 0)
    return fileError("write", shown, errno);
  const char *folder = ::getenv("TMPDIR");
  for (const char *candidate : {folder ? folder : "/tmp", "/var/tmp"})
    if (file < 0)
      file = ::open(candidate, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0)
    file = ::memfd_create("tripy", MFD_CLOEXEC);
  return file < 0 ? fileError("write", shown, errno) : Status::ok();
}

Result<FileWriter> FileWriter::create(const std::string &path,
                                      Durability durability) {
  if (path.empty() || path.find('\0') != std::string::npos)
    return Status(Code::InvalidArgument, "a file name may not be empty");
  FileWriter writer;
  writer.shown = writer.target = path;
  writer.durability = durability;
  struct stat info;
  bool exists = ::stat(path.c_str(), &info) == 0;
  bool isStream = exists && (S_ISCHR(info.st_mode) || S_ISFIFO(info.st_mode));
  if (exists && !S_ISREG(info.st_mode) && !isStream)
    return notRegular(path, S_ISDIR(info.st_mode));
  if (path.back() == '/')
    return Status(Code::InvalidArgument,
                  concat(quotedPath(path), " names a directory"));
  if (Status status = followLinks(writer.target); !status.isOk())
    return status;
  writer.isStream = isStream || (exists && isDescriptor(writer.target));
  std::string folder = directoryOf(writer.target);
  bool inPlace =
      writer.isStream || (exists && (isMountPoint(writer.target) ||
                                     ::faccessat(AT_FDCWD, folder.c_str(), W_OK,
                                                 AT_EACCESS) != 0));
  Status status = inPlace ? writer.stage()
                          : writer.claimName(temporaryPrefix(writer.target));
  if (!status.isOk())
    return status;
  // Not every file system has permissions.
  if (exists && !inPlace)
    (void)!::fchmod(writer.file, info.st_mode & 0777);
  return writer;
}

FileWriter::FileWriter(FileWriter &&other) noexcept {
  *this = std::move(other);
}
FileWriter &FileWriter::operator=(FileWriter &&other) noexcept {
  std::swap(shown, other.shown);
  std::swap(target, other.target);
  std::swap(temporary, other.temporary);
  std::swap(durability, other.durability);
  std::swap(file, other.file);
  std::swap(lock, other.lock);
  std::swap(entry, other.entry);
  std::swap(place, other.place);
  std::swap(isStream, other.isStream);
  return *this;
}
FileWriter::~FileWriter() { discard(); }

/// Removes the temporary file, while the lock on it is held.
void FileWriter::discard() {
  if (!temporary.empty())
    ::unlink(temporary.c_str());
  temporary.clear();
  if (entry >= 0)
    releaseTemporary(std::exchange(entry, -1));
  for (int *descriptor : {&file, &lock, &place})
    if (*descriptor >= 0)
      ::close(std::exchange(*descriptor, -1));
}

namespace {

/// While it lives, writing to a pipe that nobody reads is an error (EPIPE) in
/// this thread, and no signal.
class WithoutBrokenPipes {
public:
  WithoutBrokenPipes() {
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    sigset_t pending;
    ::sigpending(&pending);
    wasPending = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe, &before);
  }
  ~WithoutBrokenPipes() {
    struct timespec now = {0, 0};
    if (!wasPending)
      (void)!::sigtimedwait(&pipe, nullptr, &now);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

private:
  sigset_t pipe, before;
  bool wasPending = false;
};

} // namespace

static int writeAll(int file, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno;
    bytes = bytes.subspan(size_t(count));
  }
  return 0;
}

Status FileWriter::write(std::span<const uint8_t> bytes) {
  int error = writeAll(file, bytes);
  return error ? fileError("write", shown, error) : Status::ok();
}

/// Before the old bytes of a file that is overwritten are lost: is there room?
Status FileWriter::reserveRoom() {
  struct stat info;
  if (isStream)
    return Status::ok();
  if (::fstat(file, &info) != 0)
    return fileError("write", shown, errno);
  if (::fallocate(place, FALLOC_FL_KEEP_SIZE, 0,
                  std::max<off_t>(info.st_size, 1)) != 0 &&
      errno != EOPNOTSUPP && errno != ENOSYS)
    return fileError("write", shown, errno);
  return Status::ok();
}

/// Everything that may fail but the renaming, or the overwriting.
Status FileWriter::prepare() {
  if (place >= 0)
    return reserveRoom();
  if (durability == Durability::Durable && ::fsync(file) != 0)
    return fileError("write", shown, errno);
  // Closing may report that writing failed; the lock has to last longer.
  lock = ::fcntl(file, F_DUPFD_CLOEXEC, 0);
  if (lock < 0)
    return fileError("write", shown, errno);
  ownTemporary(entry, lock);
  if (::close(std::exchange(file, -1)) != 0)
    return fileError("write", shown, errno);
  return Status::ok();
}

/// Copies the staged bytes over the target, or into the stream.
Status FileWriter::overwrite() {
  auto failed = [&](int error) {
    return Status(Code::Io,
                  concat("cannot write ", quotedPath(shown), ": ",
                         std::strerror(error),
                         isStream ? "; it may have got a part"
                                  : "; it could not be replaced as a whole, "
                                    "and may hold a part of what was written"));
  };
  WithoutBrokenPipes guard;
  struct stat info;
  if (::fstat(file, &info) != 0)
    return fileError("write", shown, errno);
  std::vector<uint8_t> buffer(size_t(1) << 20);
  for (off_t offset = 0; offset < info.st_size;) {
    ssize_t count = ::pread(file, buffer.data(), buffer.size(), offset);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return failed(count < 0 ? errno : EIO);
    if (int error = writeAll(place, {buffer.data(), size_t(count)}))
      return failed(error);
    offset += count;
  }
  if (!isStream &&
      (::ftruncate(place, info.st_size) != 0 || ::fsync(place) != 0))
    return failed(errno);
  if (::close(std::exchange(place, -1)) != 0)
    return failed(errno);
  return Status::ok();
}

Status FileWriter::giveName() {
  if (place >= 0)
    return overwrite();
  if (::rename(temporary.c_str(), target.c_str()) != 0)
    return fileError("write", shown, errno);
  temporary.clear();
  discard();
  if (durability == Durability::Fast)
    return Status::ok();
  // Makes the new name durable; not every file system can, which is no reason
  // to call the write failed.
  int directory =
      ::open(directoryOf(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    (void)!::fsync(directory);
    ::close(directory);
  }
  return Status::ok();
}

Status FileWriter::commit() { return commitAll({this, 1}); }

Status FileWriter::commitAll(std::span<FileWriter> writers) {
  for (FileWriter &writer : writers)
    if (Status status = writer.prepare(); !status.isOk())
      return status;
  std::string done;
  for (FileWriter &writer : writers) {
    if (Status status = writer.giveName(); !status.isOk())
      return done.empty()
                 ? status
                 : Status(status.code(), concat(status.message(),
                                                "; written before it: ", done));
    done += concat(done.empty() ? "" : ", ", quotedPath(writer.shown));
  }
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
