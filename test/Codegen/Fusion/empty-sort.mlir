// RUN: tripy-compile %s --target=cuda:sm_90a -o %t.tpx && tripy-run %t.tpx --info | FileCheck %s

// A sort that is tuned for no elements has one chunk a row.
// CHECK: output 'y'
func.func @main(%x: tensor<?x16xi8> {tripy.name = "x", tripy.profile = #tripy.profile<min = [0, 16], opt = [0, 16], max = [0, 16]>})
    -> (tensor<?x16xi32> {tripy.name = "y"}) {
  %0, %1 = trace.sort %x dim = 0 descending : (tensor<?x16xi8>) -> (tensor<?x16xi8>, tensor<?x16xi32>)
  return %1 : tensor<?x16xi32>
}
