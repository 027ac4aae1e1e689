//===- MemorySpace.cpp - A dense range of memory --------------------------===//

#include "MemorySpace.h"

#include "../Emulator.h"
#include "tripy/Base/Text.h"

using namespace tripy;
using namespace tripy::emulator;

Status FlatSpace::access(uint64_t address, uint64_t count, Access how,
                         uint8_t *&place) {
  if (address < base || count > bytes.size() ||
      address - base > bytes.size() - count)
    return fault(concat("out of bounds: ", count, " bytes at ",
                        hexadecimal(address), " of ", bytes.size(),
                        " bytes at ", hexadecimal(base)));
  place = bytes.data() + (address - base);
  return Status::ok();
}
