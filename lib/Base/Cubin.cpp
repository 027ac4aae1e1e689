//===- Cubin.cpp - What a CUDA binary says of itself ----------------------===//

#include "tripy/Base/Cubin.h"
#include "tripy/Base/Text.h"

#include <algorithm>
#include <new>
#include <optional>

using namespace tripy;

namespace {

/// Numbers of an ELF file, each read only where it lies inside.
class ElfReader {
public:
  explicit ElfReader(std::span<const uint8_t> bytes) : bytes(bytes) {}

  bool has(uint64_t offset, uint64_t size) const {
    return offset <= bytes.size() && size <= bytes.size() - offset;
  }
  /// 0 outside of the file.
  uint64_t number(uint64_t offset, unsigned width) const {
    uint64_t value = 0;
    if (has(offset, width))
      for (unsigned i = width; i-- > 0;)
        value = value << 8 | bytes[offset + i];
    return value;
  }
  /// The bytes from `offset` to the next zero in [offset, end); none without.
  std::optional<std::string> text(uint64_t offset, uint64_t end) const {
    if (offset >= end || !has(0, end))
      return std::nullopt;
    auto first = bytes.begin() + offset, last = bytes.begin() + end;
    auto zero = std::find(first, last, 0);
    return zero == last ? std::nullopt
                        : std::optional(std::string(first, zero));
  }

private:
  std::span<const uint8_t> bytes;
};

struct Section {
  uint64_t type, offset, size, link;
};

} // namespace

static constexpr uint64_t headerSize = 64, sectionSize = 64, symbolSize = 24;

static Status broken(std::string_view found) {
  return Status(Code::Malformed,
                concat("a cubin is a 64-bit ELF file for NVIDIA GPUs whose "
                       "parts lie inside it; found ",
                       found));
}

/// Section `number`; the table has been checked.
static Section sectionAt(const ElfReader &elf, uint64_t table,
                         uint64_t number) {
  uint64_t at = table + number * sectionSize;
  return {elf.number(at + 4, 4), elf.number(at + 24, 8), elf.number(at + 32, 8),
          elf.number(at + 40, 4)};
}

/// Appends the global functions of a table of symbols.
static Status readSymbols(const ElfReader &elf, const Section &symbols,
                          const Section &names, CubinInfo &info) {
  constexpr uint64_t function = 2, global = 1;
  if (!elf.has(symbols.offset, symbols.size) ||
      !elf.has(names.offset, names.size))
    return broken("a table of symbols outside");
  for (uint64_t at = 0; at + symbolSize <= symbols.size; at += symbolSize) {
    uint64_t symbol = symbols.offset + at;
    uint64_t kind = elf.number(symbol + 4, 1);
    if ((kind & 15) != function || kind >> 4 != global ||
        elf.number(symbol + 6, 2) == 0)
      continue;
    std::optional<std::string> name =
        elf.number(symbol, 4) < names.size
            ? elf.text(names.offset + elf.number(symbol, 4),
                       names.offset + names.size)
            : std::nullopt;
    if (!name)
      return broken("a name outside");
    info.functions.push_back(std::move(*name));
  }
  return Status::ok();
}

/// What is loaded lies inside the file.
static Status checkSegments(const ElfReader &elf) {
  constexpr uint64_t segmentSize = 56;
  uint64_t table = elf.number(32, 8), count = elf.number(56, 2);
  if (count == 0)
    return Status::ok();
  if (elf.number(54, 2) != segmentSize || !elf.has(table, count * segmentSize))
    return broken("a table of segments outside, as in a file that was cut");
  for (uint64_t at = table; at < table + count * segmentSize; at += segmentSize)
    if (!elf.has(elf.number(at + 8, 8), elf.number(at + 32, 8)))
      return broken("a segment outside, as in a file that was cut");
  return Status::ok();
}

static Result<CubinInfo> read(std::span<const uint8_t> bytes) {
  constexpr uint64_t cudaMachine = 190, symbolTable = 2, noBits = 8;
  ElfReader elf(bytes);
  if (bytes.size() < headerSize || elf.number(0, 4) != 0x464c457f ||
      bytes[4] != 2 || bytes[5] != 1)
    return broken(concat(bytes.size(), " bytes without such a header"));
  if (elf.number(18, 2) != cudaMachine)
    return broken(concat("machine ", elf.number(18, 2)));
  CubinInfo info;
  // From version 8 of the format on, the second byte.
  uint64_t flags = elf.number(48, 4);
  info.architecture =
      uint32_t(bytes[8] >= 8 ? flags >> 8 & 0xff : flags & 0xff);
  uint64_t table = elf.number(40, 8), count = elf.number(60, 2);
  if (elf.number(58, 2) != sectionSize || !elf.has(table, count * sectionSize))
    return broken("a table of sections outside, as in a file that was cut");
  if (Status status = checkSegments(elf); !status.isOk())
    return status;
  for (uint64_t i = 0; i < count; ++i) {
    Section section = sectionAt(elf, table, i);
    if (section.type != noBits && !elf.has(section.offset, section.size))
      return broken("a section outside, as in a file that was cut");
    if (section.type != symbolTable)
      continue;
    if (section.link >= count)
      return broken("symbols without names");
    if (Status status = readSymbols(elf, section,
                                    sectionAt(elf, table, section.link), info);
        !status.isOk())
      return status;
  }
  return info;
}

Result<CubinInfo> tripy::readCubin(std::span<const uint8_t> bytes) {
  try {
    return read(bytes);
  } catch (const std::bad_alloc &) {
    return Status::outOfMemory("to read a cubin");
  }
}
