// A constant without unit or sentence, and a value without source, make no table.
// RUN: not tripy-tblgen -gen-machines %include %s -DUNIT 2>&1 | FileCheck %s --check-prefix=UNIT
// RUN: not tripy-tblgen -gen-machine-docs %include %s -DTEXT 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not tripy-tblgen -gen-machine-texts %include %s -DSOURCE 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: not tripy-tblgen -gen-machines %include %s -DUNSET 2>&1 | FileCheck %s --check-prefix=UNSET
// RUN: not tripy-tblgen -gen-machines %include %s -DKIND 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not tripy-tblgen -gen-machines %include %s -DDOCUMENT 2>&1 | FileCheck %s --check-prefix=DOCUMENT
// RUN: not tripy-tblgen -gen-machines %include %s -DDATE 2>&1 | FileCheck %s --check-prefix=DATE
// RUN: not tripy-tblgen -gen-machines %include %s -DVALUE 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not tripy-tblgen -gen-machines %include %s -DTWICE 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tripy-tblgen -gen-machines %include %s -DMISSING 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not tripy-tblgen -gen-machines %include %s -DNAME 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not tripy-tblgen -gen-machines %include %s -DTYPE 2>&1 | FileCheck %s --check-prefix=TYPE

include "tripy/Base/Machine.td"

def lanes : Constant<"int64_t", "lanes", "Lanes of a warp.">;

#ifdef UNIT
// UNIT: machines-errors.td:[[#@LINE + 1]]:5: error: the constant 'rate' has no unit
def rate : Constant<"double", "", "Some rate.">;
#endif

#ifdef TEXT
// TEXT: machines-errors.td:[[#@LINE + 1]]:5: error: the constant 'rate' has no sentence that says what it is
def rate : Constant<"double", "bytes / cycle">;
#endif

#ifdef TYPE
// TYPE: machines-errors.td:[[#@LINE + 1]]:5: error: a constant is int64_t, double or int64_t[8]: found 'float'
def rate : Constant<"float", "bytes / cycle", "Some rate.">;
#endif

#ifdef SOURCE
// SOURCE: machines-errors.td:[[#@LINE + 1]]:30: error: value not specified for template argument 'Fact:source'
def sm_90 : Machine<"H100", [Fact<lanes, "32">]>;
#endif

#ifdef UNSET
// UNSET: machines-errors.td:[[#@LINE + 1]]:5: error: 'lanes' of 'sm_90' has no source: doc, measured, fit or guess
def sm_90 : Machine<"H100", [Fact<lanes, "32", ?>]>;
#endif

#ifdef KIND
// KIND: machines-errors.td:[[#@LINE + 1]]:5: error: a source is doc, measured, fit or guess: 'lanes' of 'sm_90' has 'rumour'
def sm_90 : Machine<"H100", [Fact<lanes, "32", Source<"rumour", "somewhere">>]>;
#endif

#ifdef DOCUMENT
// DOCUMENT: machines-errors.td:[[#@LINE + 1]]:5: error: the source of 'lanes' of 'sm_90' names no document
def sm_90 : Machine<"H100", [Fact<lanes, "32", Doc<"">>]>;
#endif

#ifdef DATE
// DATE: machines-errors.td:[[#@LINE + 1]]:5: error: the measurement of 'lanes' of 'sm_90' has no date such as 2026-11-22: found 'today'
def sm_90 : Machine<"H100", [Fact<lanes, "32", Measured<"today", "notes.md">>]>;
#endif

#ifdef VALUE
// VALUE: machines-errors.td:[[#@LINE + 1]]:5: error: 'lanes' of 'sm_90' is no int64_t: found '3.2'
def sm_90 : Machine<"H100", [Fact<lanes, "3.2", Guess>]>;
#endif

#ifdef TWICE
// TWICE: machines-errors.td:[[#@LINE + 1]]:5: error: 'lanes' of 'sm_90' is stated twice
def sm_90 : Machine<"H100", [Fact<lanes, "32", Guess>, Fact<lanes, "64", Guess>]>;
#endif

#ifdef MISSING
// MISSING: machines-errors.td:[[#@LINE + 1]]:5: error: 'sm_90' has no value of 'lanes'
def sm_90 : Machine<"H100", []>;
#endif

#ifdef NAME
// NAME: machines-errors.td:[[#@LINE + 1]]:5: error: a machine has a name such as sm_90a: found 'hopper'
def hopper : Machine<"H100", [Fact<lanes, "32", Guess>]>;
#endif
