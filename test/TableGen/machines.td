// What one chip states is a guess on one like it, unless it is the same card.
// RUN: tripy-tblgen -gen-machines %include %s | FileCheck %s
// RUN: tripy-tblgen -gen-machine-texts %include %s | FileCheck %s --check-prefix=TEXT
// RUN: tripy-tblgen -gen-machine-docs %include %s | FileCheck %s --check-prefix=DOCS

include "tripy/Base/Machine.td"

// CHECK: /// Lanes of a warp. Unit: lanes.
// CHECK-NEXT: int64_t lanes = 1;
def lanes : Constant<"int64_t", "lanes", "Lanes of a warp.">;
// CHECK: double rate = 1;
def rate : Constant<"double", "bytes / cycle", "Some rate.">;
let Inherited = false in
// CHECK: int64_t most[8] = {1, 1, 1, 1, 1, 1, 1, 1};
def most : Constant<"int64_t[8]", "clusters", "Some numbers.">;

def sm_90a : Machine<"H100", [
  Fact<lanes, "32", Doc<"the guide">>,
  Fact<rate, "1.0 / 3", Measured<"2026-11-22", "notes.md 3">>,
  Fact<most, "8, 7, 6, 5, 4, 3, 2, 1", Fit<"notes.md 4">>,
]>;
def sm_90 : Machine<"H100", []> {
  let Like = sm_90a;
  let SameCard = true;
}
def sm_100 : Machine<"B200", [Fact<lanes, "64", Guess>]> { let Like = sm_90; }
def sm_75 : Machine<"T4", []> { let Like = sm_90a; }

// By version, whatever the order.
// CHECK: {.name = "sm_75", .version = 75, .isSpecific = false, .lanes = 32, .rate = 1.0 / 3},
// CHECK-NEXT: {.name = "sm_90", .version = 90, .isSpecific = false, .lanes = 32, .rate = 1.0 / 3, .most = {8, 7, 6, 5, 4, 3, 2, 1}},
// CHECK-NEXT: {.name = "sm_90a", .version = 90, .isSpecific = true, .lanes = 32, .rate = 1.0 / 3, .most = {8, 7, 6, 5, 4, 3, 2, 1}},
// CHECK-NEXT: {.name = "sm_100", .version = 100, .isSpecific = false, .lanes = 64, .rate = 1.0 / 3},

// TEXT: TRIPY_MACHINE("sm_75", "T4")
// TEXT-NEXT: TRIPY_MACHINE_FACT("sm_75", "lanes", "32", "lanes", "guess: as on sm_90a", "Lanes of a warp.")
// TEXT-NEXT: TRIPY_MACHINE_FACT("sm_75", "rate", "1.0 / 3", "bytes / cycle", "guess: as on sm_90a", "Some rate.")
// TEXT-NEXT: TRIPY_MACHINE("sm_90", "H100")
// TEXT-NEXT: TRIPY_MACHINE_FACT("sm_90", "lanes", "32", "lanes", "doc: the guide", "Lanes of a warp.")
// TEXT-NEXT: TRIPY_MACHINE_FACT("sm_90", "rate", "1.0 / 3", "bytes / cycle", "measured 2026-11-22: notes.md 3", "Some rate.")
// TEXT-NEXT: TRIPY_MACHINE_FACT("sm_90", "most", "8, 7, 6, 5, 4, 3, 2, 1", "clusters", "fit: notes.md 4", "Some numbers.")
// TEXT: TRIPY_MACHINE_FACT("sm_100", "lanes", "64", "lanes", "guess", "Lanes of a warp.")

// DOCS: | `lanes` | lanes | Lanes of a warp. |
// DOCS: ## sm_75
// DOCS: T4. Other values are guesses, taken from sm_90a.
// DOCS: ## sm_90
// DOCS: H100. All values are those of sm_90a.
// DOCS: ## sm_90a
// DOCS: | `rate` | 1.0 / 3 | measured 2026-11-22: notes.md 3 |
// DOCS: ## sm_100
// DOCS: | `lanes` | 64 | guess |
// DOCS-NOT: `rate` | 1.0
