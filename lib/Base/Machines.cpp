//===- Machines.cpp - The NVIDIA GPUs that code is made for ---------------===//

#include "tripy/Base/Machines.h"

#include "tripy/Base/Text.h"

using namespace tripy;

static constexpr Machine machines[] = {
#define GET_MACHINES
#include "tripy/Base/Machines.inc"
};

std::span<const Machine> tripy::allMachines() { return machines; }

const Machine *tripy::findMachine(std::string_view name) {
  for (const Machine &machine : machines)
    if (machine.name == name)
      return &machine;
  return nullptr;
}

const Machine &Machine::of(std::string_view name) {
  static constexpr Machine none;
  const Machine *found = findMachine(name);
  return found ? *found : none;
}

Result<const Machine *> tripy::getMachine(std::string_view name) {
  if (const Machine *machine = findMachine(name))
    return machine;
  ClosestName closest(name);
  std::string known;
  for (const Machine &machine : machines) {
    closest.consider(machine.name);
    known += (known.empty() ? "" : ", ") + std::string(machine.name);
  }
  return Status(Code::InvalidArgument,
                concat("a GPU architecture must be one of ", known,
                       ", but is '", printable(name), "'",
                       closest.suggestion()));
}
