// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%n: index) {
  // expected-error @below {{violates [flatir.require C1] kind is 'equal', 'broadcastable', 'at_most', 'sum', 'difference', 'product', 'quotient' or 'remainder'; found 'less'}}
  flatir.require "less" %n, %n "text"
  return
}
