//===- DiskCache.cpp - Compiled programs kept between processes -----------===//

#include "DiskCache.h"

#include "tripy/Base/File.h"

#include <algorithm>
#include <filesystem>

using namespace tripy;
using namespace tripy::frontend;
namespace fs = std::filesystem;

/// Files with other names are left alone.
static constexpr std::string_view extension = ".eager.tpx";

std::string DiskCache::pathOf(const std::string &key) const {
  return folder + "/" + key + std::string(extension);
}

std::optional<std::vector<uint8_t>>
DiskCache::find(const std::string &key) const {
  std::string path = pathOf(key);
  Result<std::vector<uint8_t>> bytes = readFile(path, limit);
  if (!bytes)
    return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return std::move(*bytes);
}

/// Machine code is run from it: it is its user's alone.
static bool makeFolder(const fs::path &folder) {
  std::error_code error;
  if (fs::is_directory(folder, error))
    return true;
  if (!fs::create_directories(folder, error))
    return fs::is_directory(folder, error);
  fs::permissions(folder, fs::perms::owner_all, error);
  return !error;
}

void DiskCache::store(const std::string &key,
                      std::span<const uint8_t> bytes) const {
  if (bytes.size() > limit || !makeFolder(folder))
    return;
  Result<FileWriter> writer = FileWriter::create(pathOf(key), Durability::Fast);
  if (writer && writer->write(bytes).isOk() && writer->commit().isOk())
    trim();
}

/// Other processes may remove files at the same time.
void DiskCache::trim() const {
  struct Entry {
    fs::path path;
    fs::file_time_type used;
    uint64_t bytes;
  };
  std::vector<Entry> entries;
  uint64_t sum = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (!at->path().filename().string().ends_with(extension))
      continue;
    std::error_code gone;
    uint64_t bytes = at->file_size(gone);
    fs::file_time_type used = at->last_write_time(gone);
    if (gone)
      continue;
    entries.push_back({at->path(), used, bytes});
    sum += bytes;
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return a.used < b.used; });
  for (const Entry &entry : entries) {
    if (sum <= limit)
      return;
    fs::remove(entry.path, error);
    sum -= entry.bytes;
  }
}
