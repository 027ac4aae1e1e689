//===- NameTable.h - Finds names in a list ----------------------*- C++ -*-===//
//
// The number of a name in a list, in logarithmic time. By sorting, not by
// hashing: a file cannot choose names that collide. Base only; anyone may use
// it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_NAMETABLE_H
#define TRIPY_BASE_NAMETABLE_H

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tripy {

class NameTable {
public:
  NameTable() = default;
  /// The texts outlive this object. Of equal names the first counts.
  explicit NameTable(std::vector<std::string_view> list)
      : names(std::move(list)), order(names.size()) {
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      int compared = names[a].compare(names[b]);
      return compared != 0 ? compared < 0 : a < b;
    });
  }

  /// The position of `name` in the list.
  std::optional<uint32_t> find(std::string_view name) const {
    auto found = std::lower_bound(
        order.begin(), order.end(), name,
        [&](uint32_t i, std::string_view wanted) { return names[i] < wanted; });
    if (found == order.end() || names[*found] != name)
      return std::nullopt;
    return *found;
  }

private:
  std::vector<std::string_view> names;
  /// Positions, sorted by name.
  std::vector<uint32_t> order;
};

} // namespace tripy

#endif // TRIPY_BASE_NAMETABLE_H
