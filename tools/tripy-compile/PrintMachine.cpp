//===- PrintMachine.cpp - --print-machine ---------------------------------===//

#include "PrintMachine.h"

#include "tripy/Base/Machines.h"
#include "tripy/Base/Text.h"

using namespace tripy;

namespace {
struct Card {
  std::string_view machine, cards;
};

struct Fact {
  std::string_view machine, constant, value, unit, source, text;
};
} // namespace

static constexpr Card cards[] = {
#define TRIPY_MACHINE(machine, cards) {machine, cards},
#define TRIPY_MACHINE_FACT(...)
#include "tripy/Base/MachineTexts.inc"
#undef TRIPY_MACHINE
#undef TRIPY_MACHINE_FACT
};

static constexpr Fact facts[] = {
#define TRIPY_MACHINE(...)
#define TRIPY_MACHINE_FACT(...) {__VA_ARGS__},
#include "tripy/Base/MachineTexts.inc"
#undef TRIPY_MACHINE
#undef TRIPY_MACHINE_FACT
};

Result<std::string> compile::describeMachine(std::string_view name) {
  Result<const Machine *> known = getMachine(name);
  if (!known)
    return Status(known.status()).withContext("--print-machine");
  std::string text;
  for (const Card &card : cards)
    if (card.machine == name)
      text += concat(name, ": ", card.cards, "\n");
  for (const Fact &fact : facts)
    if (fact.machine == name)
      text += concat("\n", fact.constant, " = ", fact.value, " ", fact.unit,
                     " (", fact.source, ")\n    ", fact.text, "\n");
  return text;
}
