//===- Hash.cpp - Content hashes ------------------------------------------===//

#define XXH_INLINE_ALL
#include "tripy/Base/Hash.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <new>
#include <system_error>
#include <thread>
#include <vector>
#include <xxhash.h>

using namespace tripy;

std::string Hash128::str() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint64_t half : {high, low})
    for (int shift = 60; shift >= 0; shift -= 4)
      text += digits[(half >> shift) & 15];
  return text;
}

Hash128 tripy::hashBytes(std::span<const uint8_t> bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

static void appendLittleEndian(std::vector<uint8_t> &out, uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8)
    out.push_back(uint8_t(value >> shift));
}

/// The root of a tree hash from the hashes of its chunks.
static Hash128 combine(std::span<const Hash128> chunks, uint64_t length) {
  std::vector<uint8_t> bytes;
  bytes.reserve(chunks.size() * 16 + 8);
  for (const Hash128 &chunk : chunks) {
    appendLittleEndian(bytes, chunk.low);
    appendLittleEndian(bytes, chunk.high);
  }
  appendLittleEndian(bytes, length);
  return hashBytes(bytes);
}

Hash128 tripy::treeHash(std::span<const uint8_t> bytes, unsigned threads) {
  size_t count =
      std::max<size_t>(1, (bytes.size() + treeHashChunk - 1) / treeHashChunk);
  std::vector<Hash128> chunks(count);
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < count; i = next++) {
      size_t offset = i * treeHashChunk;
      chunks[i] = hashBytes(bytes.subspan(
          offset, std::min<size_t>(treeHashChunk, bytes.size() - offset)));
    }
  };
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> helpers;
  helpers.reserve(std::min<size_t>(threads, count));
  // A thread that cannot be started only makes this slower.
  try {
    while (helpers.size() + 1 < std::min<size_t>(threads, count))
      helpers.emplace_back(work);
  } catch (const std::system_error &) {
  } catch (const std::bad_alloc &) {
  }
  work();
  for (std::thread &helper : helpers)
    helper.join();
  return combine(chunks, bytes.size());
}

struct TreeHasher::State {
  XXH3_state_t chunk;
  uint64_t inChunk = 0, length = 0;
  std::vector<Hash128> chunks;

  void closeChunk() {
    XXH128_hash_t hash = XXH3_128bits_digest(&chunk);
    chunks.push_back({hash.low64, hash.high64});
    XXH3_128bits_reset(&chunk);
    inChunk = 0;
  }
};

TreeHasher::TreeHasher() : state(std::make_unique<State>()) {
  XXH3_128bits_reset(&state->chunk);
}
TreeHasher::~TreeHasher() = default;
TreeHasher::TreeHasher(TreeHasher &&) noexcept = default;
TreeHasher &TreeHasher::operator=(TreeHasher &&) noexcept = default;

void TreeHasher::update(std::span<const uint8_t> bytes) {
  state->length += bytes.size();
  while (!bytes.empty()) {
    size_t part =
        std::min<uint64_t>(bytes.size(), treeHashChunk - state->inChunk);
    XXH3_128bits_update(&state->chunk, bytes.data(), part);
    state->inChunk += part;
    if (state->inChunk == treeHashChunk)
      state->closeChunk();
    bytes = bytes.subspan(part);
  }
}

void TreeHasher::updateZeros(uint64_t count) {
  static constexpr std::array<uint8_t, 4096> zeros = {};
  for (; count > 0; count -= std::min<uint64_t>(count, zeros.size()))
    update({zeros.data(), std::min<uint64_t>(count, zeros.size())});
}

Hash128 TreeHasher::finish() {
  if (state->inChunk > 0 || state->chunks.empty())
    state->closeChunk();
  return combine(state->chunks, state->length);
}
