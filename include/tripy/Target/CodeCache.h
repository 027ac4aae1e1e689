//===- CodeCache.h - Machine code kept between compilations -----*- C++ -*-===//
//
// A folder of assembled GPU code, addressed by a hash of everything that the
// code depends on. Processes may share a folder: an entry is complete or not
// there. Whatever cannot be read is a miss, and whatever cannot be written is
// not kept. docs/compile-cache.md is for users. Layer target.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TARGET_CODECACHE_H
#define TRIPY_TARGET_CODECACHE_H

#include "tripy/Base/Status.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tripy::target {

/// What the user says about the cache.
struct CacheOptions {
  bool enabled = true;
  /// None: TRIPY_CACHE_DIR, or else $XDG_CACHE_HOME/tripy, or ~/.cache/tripy.
  std::optional<std::string> folder;
  /// None: TRIPY_CACHE_SIZE, or else 1 GiB.
  std::optional<uint64_t> bytes;
};

/// "4096", "512M", "2G": bytes with an optional K, M or G (powers of 1024).
/// Errors: InvalidArgument.
Result<uint64_t> parseCacheSize(std::string_view text);

/// The folder that `options` and the environment name; empty when none is
/// known.
std::string cacheFolder(const CacheOptions &options);

/// BLAKE3-256 of what an entry depends on.
struct CacheKey {
  std::array<uint8_t, 32> bytes = {};

  /// The key of `parts`: different for different lists of parts, even when
  /// their concatenation is the same.
  static CacheKey of(std::span<const std::string_view> parts);
  /// 64 lower-case hexadecimal digits.
  std::string str() const;
};

/// What is kept of one module of kernels.
struct CachedCode {
  std::string ptx;
  /// Each has some of the kernels.
  std::vector<std::vector<uint8_t>> cubins;
  /// What the assembler said.
  std::string log;
};

class CodeCache {
public:
  /// The cache that `options` and the environment name. None when it is
  /// switched off or no folder is known (no HOME). Errors: InvalidArgument
  /// (TRIPY_CACHE_SIZE is no size).
  static Result<std::optional<CodeCache>> open(const CacheOptions &options);
  CodeCache(std::string folder, uint64_t limit, bool chosen = true)
      : folder(std::move(folder)), limit(limit), chosen(chosen) {}
  /// Whether the user named the folder, and so wants to hear when it is of no
  /// use.
  bool isChosen() const { return chosen; }

  /// The entry of `key`, which becomes the one used last. None when there is
  /// no file, or not a whole one, or one of another key or format: then store()
  /// replaces it.
  std::optional<CachedCode> find(const CacheKey &key) const;

  /// Keeps `code`, then removes the entries used longest ago until the folder's
  /// entries take at most the limit. An error (Io, NotFound, InvalidArgument)
  /// changes nothing but that the code is not kept.
  Status store(const CacheKey &key, const CachedCode &code) const;

  /// Where the entry of `key` lies.
  std::string pathOf(const CacheKey &key) const;

private:
  void trim() const;

  std::string folder;
  /// Bytes that all entries may take.
  uint64_t limit;
  bool chosen;
};

/// Names the very code of this program that compiles: the build identifiers of
/// what is linked, this compiler and LLVM. Empty when it was linked without
/// them; then nothing may be kept.
std::string compilerIdentity();

} // namespace tripy::target

#endif // TRIPY_TARGET_CODECACHE_H
