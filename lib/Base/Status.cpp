//===- Status.cpp - Names of error codes ----------------------------------===//

#include "tripy/Base/Status.h"

#include <new>

using namespace tripy;

Status Status::outOfMemory(std::string_view purpose) noexcept {
  try {
    return Status(Code::HostOutOfMemory, "no memory " + std::string(purpose));
  } catch (const std::bad_alloc &) {
    // Short enough to need no memory of its own.
    return Status(Code::HostOutOfMemory, "no memory");
  }
}

std::string_view tripy::codeName(Code code) {
  switch (code) {
  case Code::Ok:
    return "Ok";
  case Code::InvalidArgument:
    return "InvalidArgument";
  case Code::ShapeOutOfRange:
    return "ShapeOutOfRange";
  case Code::DTypeMismatch:
    return "DTypeMismatch";
  case Code::DeviceMismatch:
    return "DeviceMismatch";
  case Code::NotFound:
    return "NotFound";
  case Code::Io:
    return "Io";
  case Code::Truncated:
    return "Truncated";
  case Code::BadMagic:
    return "BadMagic";
  case Code::UnsupportedVersion:
    return "UnsupportedVersion";
  case Code::ChecksumMismatch:
    return "ChecksumMismatch";
  case Code::SignatureInvalid:
    return "SignatureInvalid";
  case Code::Malformed:
    return "Malformed";
  case Code::LimitExceeded:
    return "LimitExceeded";
  case Code::ArchMismatch:
    return "ArchMismatch";
  case Code::DriverMissing:
    return "DriverMissing";
  case Code::DriverTooOld:
    return "DriverTooOld";
  case Code::HostOutOfMemory:
    return "HostOutOfMemory";
  case Code::DeviceOutOfMemory:
    return "DeviceOutOfMemory";
  case Code::LaunchFailed:
    return "LaunchFailed";
  case Code::ContextLost:
    return "ContextLost";
  case Code::Cancelled:
    return "Cancelled";
  case Code::Unsupported:
    return "Unsupported";
  case Code::Internal:
    return "Internal";
  }
  return "unknown code";
}
