//===- Status.h - Error codes and results -----------------------*- C++ -*-===//
//
// The result of everything in Base and Runtime that can fail. No exceptions.
//
//   Result<File> file = openFile(path);
//   if (!file)
//     return file.status();
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_STATUS_H
#define TRIPY_BASE_STATUS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tripy {

/// What went wrong. The numbers are part of the C interface: never reuse one.
enum class Code : int32_t {
  Ok = 0,
  InvalidArgument = 1,
  ShapeOutOfRange = 2,
  DTypeMismatch = 3,
  DeviceMismatch = 4,
  NotFound = 5,
  Io = 6,
  Truncated = 7,
  BadMagic = 8,
  UnsupportedVersion = 9,
  ChecksumMismatch = 10,
  SignatureInvalid = 11,
  Malformed = 12,
  LimitExceeded = 13,
  ArchMismatch = 14,
  DriverMissing = 15,
  DriverTooOld = 16,
  HostOutOfMemory = 17,
  DeviceOutOfMemory = 18,
  LaunchFailed = 19,
  ContextLost = 20,
  Cancelled = 21,
  Unsupported = 22,
  Internal = 23,
};

/// Name of a code, as in "ShapeOutOfRange".
std::string_view codeName(Code code);

/// Success, or a code with one sentence: lower-case start, no full stop.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Code code, std::string message)
      : failCode(code), text(std::move(message)) {}

  static Status ok() { return {}; }
  /// HostOutOfMemory: "no memory `purpose`" as in "no memory to run", or "no
  /// memory" when there is none for the sentence either.
  static Status outOfMemory(std::string_view purpose) noexcept;
  bool isOk() const { return failCode == Code::Ok; }
  Code code() const { return failCode; }
  const std::string &message() const { return text; }
  /// Puts "`context`: " before the message.
  Status withContext(std::string_view context) && {
    text = std::string(context) + ": " + text;
    return std::move(*this);
  }

private:
  Code failCode = Code::Ok;
  std::string text;
};

/// A value, or the status that says why there is none.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : held(std::move(value)) {}
  Result(Status status) : failure(std::move(status)) {
    if (failure.isOk())
      failure = Status(Code::Internal, "a result without value and error");
  }

  explicit operator bool() const { return held.has_value(); }
  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }
  const Status &status() const { return failure; }

private:
  std::optional<T> held;
  Status failure;
};

} // namespace tripy

#endif // TRIPY_BASE_STATUS_H
