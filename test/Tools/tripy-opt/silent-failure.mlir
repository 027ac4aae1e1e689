// RUN: not tripy-opt %s --pass-pipeline='builtin.module(func.func(canonicalize,test-fail-silently))' 2>&1 | FileCheck %s
// RUN: not tripy-opt %s --plain-diagnostics --pass-pipeline='builtin.module(func.func(test-fail-silently))' 2>&1 | FileCheck %s --check-prefix=PLAIN

// A pass that fails without a message gets one, which names the pass and the
// operation, and not one for each pass manager around it.

// CHECK-COUNT-1: error: what fails must say why; the pass '{{.*}}FailSilently' failed on 'func.func' @bad without a message
// CHECK-NOT: error
// PLAIN: silent-failure.mlir:[[# @LINE + 4]]:1: error: what fails must say why; the pass '{{.*}}FailSilently' failed on 'func.func' @bad without a message
// PLAIN-NOT: error

func.func @good() { return }
func.func @bad() attributes {test.fails} { return }
func.func @other() { return }
