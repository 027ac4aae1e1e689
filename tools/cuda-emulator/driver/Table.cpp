//===- Table.cpp - The driver's functions by name -------------------------===//

#include "Driver.h"

#include <string_view>

using namespace tripy::cuda;
using namespace tripy::emulatordriver;

// Defined in the other files; none has a header, as the runtime finds them
// through cuGetProcAddress.
#define TRIPY_DRIVER_FUNCTION(Member, Name, Version, Symbol)                   \
  extern "C" std::remove_pointer_t<decltype(DriverApi::Member)> Symbol;
#include "tripy/Runtime/Cuda/DriverFunctions.def"

/// The functions in the order of the runtime's table.
static DriverApi makeTable() {
  DriverApi api = {};
#define TRIPY_DRIVER_FUNCTION(Member, Name, Version, Symbol)                   \
  api.Member = Symbol;
#include "tripy/Runtime/Cuda/DriverFunctions.def"
  return api;
}

TRIPY_DRIVER_CALL cuGetProcAddress_v2(const char *symbol, void **function,
                                      int version, uint64_t, int *status) {
  /// CUdriverProcAddressQueryResult.
  enum { Found = 0, NoSuchSymbol = 1, VersionTooLow = 2 };
  static DriverApi api = makeTable();
  if (!symbol || !function)
    return DriverResult::InvalidValue;
  *function = nullptr;
  int answer = NoSuchSymbol;
  // The names and versions that the runtime asks for are those there are.
  for (const DriverSlot &slot : driverSlots(api))
    if (std::string_view(slot.name) == symbol) {
      answer = version < slot.version ? VersionTooLow : Found;
      if (answer == Found)
        *function = *slot.place;
    }
  if (status)
    *status = answer;
  return answer == Found ? DriverResult::Success : DriverResult::NotFound;
}
