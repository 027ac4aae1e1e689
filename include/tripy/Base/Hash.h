//===- Hash.h - Content hashes ----------------------------------*- C++ -*-===//
//
// XXH3-128 of byte ranges: detects damage, identifies content; no protection
// against a forger. Base only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_HASH_H
#define TRIPY_BASE_HASH_H

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tripy {

struct Hash128 {
  uint64_t low = 0, high = 0;
  friend bool operator==(const Hash128 &, const Hash128 &) = default;
  /// 32 lower-case hexadecimal digits, high half first.
  std::string str() const;
};

/// XXH3-128 of `bytes`, seed 0.
Hash128 hashBytes(std::span<const uint8_t> bytes);

/// Bytes of a leaf of the tree hash; part of the executable format.
inline constexpr uint64_t treeHashChunk = uint64_t(16) << 20;

/// The tree hash of `bytes`: XXH3-128 over the hashes of its 16 MiB chunks (low
/// then high, little endian; at least one chunk) and the length (8 bytes).
/// Uses up to `threads` threads, the caller's included; 0 means one for each
/// processor. Equal to TreeHasher over the same bytes.
Hash128 treeHash(std::span<const uint8_t> bytes, unsigned threads = 0);

/// The tree hash of bytes that come in pieces.
class TreeHasher {
public:
  TreeHasher();
  ~TreeHasher();
  TreeHasher(TreeHasher &&) noexcept;
  TreeHasher &operator=(TreeHasher &&) noexcept;
  void update(std::span<const uint8_t> bytes);
  /// As `count` zero bytes.
  void updateZeros(uint64_t count);
  Hash128 finish();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace tripy

#endif // TRIPY_BASE_HASH_H
