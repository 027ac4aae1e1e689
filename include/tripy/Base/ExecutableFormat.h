//===- ExecutableFormat.h - The .tpx container ------------------*- C++ -*-===//
//
// Turns a Program into the bytes of an executable file and back. Layout and
// guarantees are described in docs/executable.md. Base only; the compiler
// writes, the runtime reads.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_EXECUTABLEFORMAT_H
#define TRIPY_BASE_EXECUTABLEFORMAT_H

#include "tripy/Base/File.h"
#include "tripy/Base/Hash.h"
#include "tripy/Base/Program.h"
#include "tripy/Base/Status.h"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace tripy {

inline constexpr std::array<uint8_t, 8> executableMagic = {
    0x89, 'T', 'P', 'X', '\r', '\n', 0x1a, '\n'};
inline constexpr uint16_t executableMajor = 6;
inline constexpr uint16_t executableMinor = 0;

inline constexpr uint64_t executableHeaderBytes = 64;
inline constexpr uint64_t executableSectionBytes = 48;
inline constexpr uint64_t executableAlignment = 64;

/// Kinds of sections, in their order in a file. A section without bytes is not
/// written; Plan always has some.
enum class SectionKind : uint32_t {
  Plan = 1,
  Whys = 2,
  Images = 3,
  Constants = 4,
};

/// One row of the section table.
struct Section {
  SectionKind kind = SectionKind::Plan;
  uint64_t offset = 0, size = 0;
  Hash128 hash;
};

/// A part of the constants; parts are sorted by offset and do not overlap, the
/// gaps between them are zero.
struct ConstantPiece {
  uint64_t offset = 0;
  std::span<const uint8_t> bytes;
};

/// The constants of a program, without a copy of them in one place.
struct ConstantPieces {
  uint64_t size = 0;
  std::span<const ConstantPiece> pieces;
};

/// Streams the container. Constants are read twice (hash, bytes) and never
/// copied. Does not verify `program`. Errors: InvalidArgument (pieces overlap
/// or exceed the size), LimitExceeded (a list or text that cannot be read
/// back), and those of `sink`.
Status serialize(const Program &program, const ConstantPieces &constants,
                 ByteSink &sink);
/// The same with `program.constants`.
Status serialize(const Program &program, ByteSink &sink);

/// Verifies `program` and writes it to `path` atomically.
Status writeExecutable(const std::string &path, const Program &program,
                       const ConstantPieces &constants);
Status writeExecutable(const std::string &path, const Program &program);

struct ParseOptions {
  /// Threads that check hashes; 0 means one for each processor.
  unsigned threads = 0;
};

/// Reads a container. The result's imageData and constants point into `bytes`,
/// whose start is aligned to 64; everything else is copied. Checks the whole
/// container, not the meaning of the program: verifyProgram() does. Errors:
/// BadMagic, UnsupportedVersion, Truncated, ChecksumMismatch, Malformed,
/// LimitExceeded, HostOutOfMemory.
Result<Program> parseExecutable(std::span<const uint8_t> bytes,
                                const ParseOptions &options = {});

/// The checked section table alone, for inspection: header and table are
/// verified, section contents and padding are not.
Result<std::vector<Section>> parseSectionTable(std::span<const uint8_t> bytes);

} // namespace tripy

#endif // TRIPY_BASE_EXECUTABLEFORMAT_H
