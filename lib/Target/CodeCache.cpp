//===- CodeCache.cpp - Machine code kept between compilations -------------===//
//
// An entry is one file, "<key>.tripycode":
//
//   offset  bytes  content
//   0       8      "TRIPYKC" and a zero byte
//   8       4      version of this format, little endian, as all numbers
//   12      4      0
//   16      32     key
//   48      24     bytes of the PTX text, the cubins and the log
//   72      32     BLAKE3-256 of bytes 0 to 71 and of what follows
//   104            PTX text, cubins (each after its length in 8 bytes), log;
//                  nothing after
//
//===----------------------------------------------------------------------===//

#include "tripy/Target/CodeCache.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tripy;
using namespace tripy::target;

using Digest = std::array<uint8_t, 32>;

static constexpr char magic[8] = "TRIPYKC";
static constexpr uint32_t formatVersion = 2;
static constexpr size_t lengthsAt = 48, checksumAt = 72, headerBytes = 104;
static constexpr std::string_view suffix = ".tripycode";
static constexpr uint64_t defaultBytes = uint64_t(1) << 30;

//===-- keys --------------------------------------------------------------===//

static llvm::ArrayRef<uint8_t> bytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

CacheKey CacheKey::of(std::span<const std::string_view> parts) {
  llvm::BLAKE3 hasher;
  for (std::string_view part : parts) {
    uint8_t length[8];
    llvm::support::endian::write64le(length, part.size());
    hasher.update(llvm::ArrayRef<uint8_t>(length));
    hasher.update(bytesOf(part));
  }
  return {hasher.final<32>()};
}

std::string CacheKey::str() const {
  return llvm::toHex(bytes, /*LowerCase=*/true);
}

/// The build identifier in the notes of a loaded object, or "".
static std::string buildId(const dl_phdr_info &object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE)
      continue;
    auto *at =
        reinterpret_cast<const uint8_t *>(object.dlpi_addr + segment.p_vaddr);
    const uint8_t *end = at + segment.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof(note));
      const uint8_t *name = at + sizeof(note);
      const uint8_t *content = name + ((note.n_namesz + 3) & ~3u);
      at = content + ((note.n_descsz + 3) & ~3u);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && at <= end &&
          std::memcmp(name, "GNU", 4) == 0)
        return llvm::toHex(
            llvm::ArrayRef<uint8_t>(content, size_t(note.n_descsz)));
    }
  }
  return "";
}

/// Whether `object` holds the code at `address`.
static bool holds(const dl_phdr_info &object, const void *address) {
  auto value = reinterpret_cast<ElfW(Addr)>(address);
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = object.dlpi_phdr[i];
    ElfW(Addr) start = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && value >= start &&
        value - start < segment.p_memsz)
      return true;
  }
  return false;
}

std::string target::compilerIdentity() {
  // Tripy and LLVM are in one object or in several.
  struct Search {
    std::string identity;
    bool complete = true;
  } search;
  dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *data) {
        auto &search = *static_cast<Search *>(data);
        llvm::StringRef name(object->dlpi_name);
        bool own = holds(*object, reinterpret_cast<void *>(&CacheKey::of));
        if (!own && !name.contains("libLLVM") && !name.contains("libMLIR"))
          return 0;
        std::string id = buildId(*object);
        search.complete &= !id.empty();
        search.identity += id + ";";
        return 0;
      },
      &search);
  return search.complete ? search.identity : "";
}

//===-- options -----------------------------------------------------------===//

Result<uint64_t> target::parseCacheSize(std::string_view text) {
  if (std::optional<uint64_t> bytes = parseBytes(text))
    return *bytes;
  return Status(Code::InvalidArgument,
                concat("a cache's size must be a number of bytes, or one of K, "
                       "M or G, such as 512M, but is '",
                       printable(text), "'"));
}

/// The value of a variable of the environment, or none.
static std::optional<std::string> variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

/// An empty TRIPY_CACHE_DIR switches the cache off.
static std::string defaultFolder() {
  if (auto chosen = variable("TRIPY_CACHE_DIR"))
    return *chosen;
  // By its specification, a relative XDG_CACHE_HOME is to be ignored.
  if (auto cache = variable("XDG_CACHE_HOME"); cache && cache->starts_with("/"))
    return *cache + "/tripy";
  if (auto home = variable("HOME"); home && home->starts_with("/"))
    return *home + "/.cache/tripy";
  return "";
}

std::string target::cacheFolder(const CacheOptions &options) {
  return options.folder ? *options.folder : defaultFolder();
}

Result<std::optional<CodeCache>> CodeCache::open(const CacheOptions &options) {
  std::string folder = cacheFolder(options);
  if (!options.enabled || folder.empty())
    return std::optional<CodeCache>();
  uint64_t bytes = options.bytes.value_or(defaultBytes);
  auto size = variable("TRIPY_CACHE_SIZE");
  if (!options.bytes && size && !size->empty()) {
    Result<uint64_t> parsed = parseCacheSize(*size);
    if (!parsed)
      return Status(parsed.status()).withContext("TRIPY_CACHE_SIZE");
    bytes = *parsed;
  }
  bool chosen = options.folder || variable("TRIPY_CACHE_DIR");
  return std::optional<CodeCache>(CodeCache(std::move(folder), bytes, chosen));
}

//===-- entries -----------------------------------------------------------===//

std::string CodeCache::pathOf(const CacheKey &key) const {
  return concat(folder, "/", key.str(), suffix);
}

/// The checksum of an entry: of everything but the checksum.
static Digest checksum(llvm::ArrayRef<uint8_t> entry) {
  llvm::BLAKE3 hasher;
  hasher.update(entry.take_front(checksumAt));
  hasher.update(entry.drop_front(headerBytes));
  return hasher.final<32>();
}

/// Magic, version and key.
static std::vector<uint8_t> headerOf(const CacheKey &key) {
  std::vector<uint8_t> header(headerBytes);
  std::memcpy(header.data(), magic, sizeof(magic));
  llvm::support::endian::write32le(&header[8], formatVersion);
  llvm::copy(key.bytes, header.begin() + 16);
  return header;
}

/// Each cubin after its length.
static std::vector<uint8_t>
writeCubins(std::span<const std::vector<uint8_t>> cubins) {
  std::vector<uint8_t> all;
  for (const std::vector<uint8_t> &cubin : cubins) {
    all.resize(all.size() + 8);
    llvm::support::endian::write64le(&all[all.size() - 8], cubin.size());
    all.insert(all.end(), cubin.begin(), cubin.end());
  }
  return all;
}

static std::optional<std::vector<std::vector<uint8_t>>>
readCubins(llvm::ArrayRef<uint8_t> all) {
  std::vector<std::vector<uint8_t>> cubins;
  while (!all.empty()) {
    if (all.size() < 8)
      return std::nullopt;
    uint64_t length = llvm::support::endian::read64le(all.data());
    all = all.drop_front(8);
    if (length > all.size())
      return std::nullopt;
    cubins.emplace_back(all.begin(), all.begin() + length);
    all = all.drop_front(length);
  }
  return cubins;
}

static std::vector<uint8_t> writeEntry(const CacheKey &key,
                                       const CachedCode &code) {
  std::vector<uint8_t> entry = headerOf(key);
  std::vector<uint8_t> cubins = writeCubins(code.cubins);
  size_t lengths[3] = {code.ptx.size(), cubins.size(), code.log.size()};
  for (int i = 0; i < 3; ++i)
    llvm::support::endian::write64le(&entry[lengthsAt + 8 * i], lengths[i]);
  entry.insert(entry.end(), code.ptx.begin(), code.ptx.end());
  entry.insert(entry.end(), cubins.begin(), cubins.end());
  entry.insert(entry.end(), code.log.begin(), code.log.end());
  llvm::copy(checksum(entry), entry.begin() + checksumAt);
  return entry;
}

static std::optional<CachedCode> readEntry(const CacheKey &key,
                                           llvm::ArrayRef<uint8_t> entry) {
  if (entry.size() < headerBytes ||
      !std::equal(entry.begin(), entry.begin() + lengthsAt,
                  headerOf(key).begin()))
    return std::nullopt;
  llvm::ArrayRef<uint8_t> rest = entry.drop_front(headerBytes);
  llvm::ArrayRef<uint8_t> parts[3];
  for (int i = 0; i < 3; ++i) {
    uint64_t length =
        llvm::support::endian::read64le(&entry[lengthsAt + 8 * i]);
    if (length > rest.size())
      return std::nullopt;
    parts[i] = rest.take_front(length);
    rest = rest.drop_front(length);
  }
  if (!rest.empty() ||
      !std::equal(entry.begin() + checksumAt, entry.begin() + headerBytes,
                  checksum(entry).begin()))
    return std::nullopt;
  auto cubins = readCubins(parts[1]);
  if (!cubins)
    return std::nullopt;
  return CachedCode{{parts[0].begin(), parts[0].end()},
                    std::move(*cubins),
                    {parts[2].begin(), parts[2].end()}};
}

std::optional<CachedCode> CodeCache::find(const CacheKey &key) const {
  std::string path = pathOf(key);
  Result<std::vector<uint8_t>> entry = readFile(path, limit);
  if (!entry)
    return std::nullopt;
  std::optional<CachedCode> code = readEntry(key, *entry);
  // Its time of change says when it was last used. Where that may not be
  // written, others decide what is kept.
  if (code)
    (void)::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return code;
}

/// Makes `folder` and those above it, for this user alone.
static bool makeFolder(const std::string &folder) {
  for (size_t slash = folder.find('/', 1);;
       slash = folder.find('/', slash + 1)) {
    std::string part = folder.substr(0, slash);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST)
      return false;
    if (slash == std::string::npos)
      return true;
  }
}

/// A crash of the machine may leave a damaged entry behind, which is a miss: no
/// need to wait for the disk.
static Status writeWhole(const std::string &path,
                         llvm::ArrayRef<uint8_t> bytes) {
  // A link or a pipe that has the name gives way: an entry is a file.
  struct stat info;
  if (::lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
      !S_ISDIR(info.st_mode))
    ::unlink(path.c_str());
  Result<FileWriter> writer = FileWriter::create(path, Durability::Fast);
  if (!writer)
    return writer.status();
  if (Status status = writer->write(bytes); !status.isOk())
    return status;
  return writer->commit();
}

Status CodeCache::store(const CacheKey &key, const CachedCode &code) const {
  std::vector<uint8_t> entry = writeEntry(key, code);
  if (entry.size() > limit)
    return Status::ok();
  if (!makeFolder(folder))
    return Status(Code::Io,
                  concat("cannot make the folder '", printable(folder, 1024),
                         "': ", std::strerror(errno)));
  Status status = writeWhole(pathOf(key), entry);
  if (status.isOk())
    trim();
  return status;
}

//===-- bounds ------------------------------------------------------------===//

namespace {
struct EntryFile {
  std::string path;
  timespec used;
  uint64_t bytes;
};
} // namespace

/// Whether `name` is that of an entry, or with `temporary` of one that a
/// process is or was writing.
static bool isEntryName(std::string_view name, bool temporary) {
  size_t digits = name.find_first_not_of("0123456789abcdef");
  if (digits != 64 || !name.substr(digits).starts_with(suffix))
    return false;
  std::string_view rest = name.substr(digits + suffix.size());
  return temporary ? rest.starts_with(temporarySuffix) : rest.empty();
}

/// The entries of `folder`; removes what dead processes left behind.
static std::vector<EntryFile> listEntries(const std::string &folder) {
  std::vector<EntryFile> files;
  DIR *directory = ::opendir(folder.c_str());
  if (!directory)
    return files;
  while (const dirent *item = ::readdir(directory)) {
    bool temporary = isEntryName(item->d_name, /*temporary=*/true);
    if (!temporary && !isEntryName(item->d_name, /*temporary=*/false))
      continue;
    std::string path = concat(folder, "/", std::string_view(item->d_name));
    struct stat info;
    if (::lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
      continue;
    if (!temporary)
      files.push_back({path, info.st_mtim, uint64_t(info.st_size)});
    else
      removeAbandoned(path.c_str());
  }
  ::closedir(directory);
  return files;
}

/// Removing an entry that another process reads takes nothing from it.
void CodeCache::trim() const {
  std::vector<EntryFile> files = listEntries(folder);
  uint64_t total = 0;
  for (const EntryFile &file : files)
    total += file.bytes;
  if (total <= limit)
    return;
  llvm::sort(files, [](const EntryFile &a, const EntryFile &b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec, a.path) <
           std::tie(b.used.tv_sec, b.used.tv_nsec, b.path);
  });
  // A little more than needed, so that not each store has to do it.
  for (const EntryFile &file : files) {
    if (total <= limit - limit / 16)
      return;
    ::unlink(file.path.c_str());
    total -= file.bytes;
  }
}
