//===- MemorySpace.h - How the units reach memory ---------------*- C++ -*-===//
//
// The units (barriers, copies, matrix instructions) are functions over memory
// that their caller checks: every access goes through a MemorySpace, which
// answers with a host address or says what is wrong with the access.
//
// What a kernel does wrong is a Status of code LaunchFailed whose text begins
// with the rule. What cuTensorMapEncodeTiled refuses is InvalidArgument.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_EMULATOR_UNITS_MEMORYSPACE_H
#define TRIPY_LIB_EMULATOR_UNITS_MEMORYSPACE_H

#include "tripy/Base/Status.h"

#include <cstdint>
#include <span>

namespace tripy::emulator {

/// Copy reads bytes some of which may never have been written.
enum class Access { Read, Write, ReadWrite, Copy };

/// Shared memory of one block, or global memory.
class MemorySpace {
public:
  virtual ~MemorySpace() = default;

  /// Sets `place` to the host address of the bytes [address, address + bytes),
  /// which the caller then reads or writes at once. Errors: what is wrong with
  /// the access (out of bounds, never written, a race).
  virtual Status access(uint64_t address, uint64_t bytes, Access how,
                        uint8_t *&place) = 0;
  /// For each byte from `address` on, which is accessible, whether it was
  /// written; null where that is not known.
  virtual uint8_t *writtenFlags(uint64_t address) { return nullptr; }
};

/// One dense range that starts at address `base` and is checked for its bounds
/// only.
class FlatSpace final : public MemorySpace {
public:
  FlatSpace(std::span<uint8_t> bytes, uint64_t base)
      : bytes(bytes), base(base) {}

  Status access(uint64_t address, uint64_t count, Access how,
                uint8_t *&place) override;

private:
  std::span<uint8_t> bytes;
  uint64_t base;
};

/// A LaunchFailed status.
inline Status fault(std::string text) {
  return Status(Code::LaunchFailed, std::move(text));
}

} // namespace tripy::emulator

#endif // TRIPY_LIB_EMULATOR_UNITS_MEMORYSPACE_H
