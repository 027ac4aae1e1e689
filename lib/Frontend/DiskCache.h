//===- DiskCache.h - Compiled programs kept between processes ---*- C++ -*-===//
//
// A folder of executables by what they were compiled of. Processes may share
// it: a file is complete or not there, and the executable's own hashes find
// damage. Whatever cannot be read is a miss, and whatever cannot be written is
// not kept. Private to the frontend.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_DISKCACHE_H
#define TRIPY_LIB_FRONTEND_DISKCACHE_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tripy::frontend {

class DiskCache {
public:
  /// `folder` is made with the first file; "" keeps nothing.
  DiskCache(std::string folder, uint64_t limit)
      : folder(std::move(folder)), limit(limit) {}

  bool isOn() const { return !folder.empty() && limit > 0; }
  /// The file of `key`, a file's name, which becomes the one used last.
  std::optional<std::vector<uint8_t>> find(const std::string &key) const;
  /// Keeps `bytes`, then removes the files used longest ago until the rest is
  /// within the limit.
  void store(const std::string &key, std::span<const uint8_t> bytes) const;

private:
  std::string pathOf(const std::string &key) const;
  void trim() const;

  std::string folder;
  uint64_t limit;
};

} // namespace tripy::frontend

#endif // TRIPY_LIB_FRONTEND_DISKCACHE_H
