// Blocks that start before the kernels in front have ended bring what they load
// first to the L2 cache; the others, from 132 times the blocks that a
// multiprocessor has room for on, jump over that. Nothing is loaded.
//
// RUN: tripy-compile %s --function=loop --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=LOOP --implicit-check-not=prefetch
// RUN: tripy-compile %s --function=softmax --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=ROW --implicit-check-not=prefetch
// RUN: tripy-compile %s --function=long --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=LONG --implicit-check-not=prefetch
// RUN: tripy-compile %s --function=column --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=COLUMN --implicit-check-not=prefetch
// RUN: tripy-compile %s --function=transpose --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=TRANSPOSE --implicit-check-not=prefetch
// RUN: tripy-compile %s --function=embedding --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=EMBEDDING --implicit-check-not=prefetch
// RUN: tripy-compile %s --function=cumsum --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=SCAN --implicit-check-not=prefetch
// RUN: tripy-compile %s --function=column_of_rows --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=APART --implicit-check-not=prefetch
// RUN: tripy-compile %s --function=dynamic --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=DYNAMIC --implicit-check-not=prefetch
//
// RUN: tripy-compile %s --function=loop --target=cuda:sm_90a --no-prefetch --stop-after=ptx -o - | FileCheck %s --check-prefix=OFF --implicit-check-not=prefetch
// RUN: tripy-compile %s --function=long --target=cuda:sm_90a --no-prefetch --stop-after=ptx -o - | FileCheck %s --check-prefix=OFF --implicit-check-not=prefetch
// OFF: griddepcontrol.wait
// RUN: tripy-compile %s --function=loop --target=cuda:sm_90a --no-overlap --stop-after=ptx -o - | FileCheck %s --check-prefix=NONE --implicit-check-not=prefetch
// RUN: tripy-compile %s --function=loop --target=cuda:sm_80 --stop-after=ptx -o - | FileCheck %s --check-prefix=NONE --implicit-check-not=prefetch
// NONE: .entry

// The thread whose address begins a sector asks for it. 1056 = 8 * 132.
// LOOP: setp.gt.u32 [[LATE:%p[0-9]+]], %r{{[0-9]+}}, 1055
// LOOP: @[[LATE]] bra [[WAIT:.*]];
// LOOP-NOT: ld.global
// LOOP: and.b64 within, [[A:%rd[0-9]+]], 31;
// LOOP-NEXT: setp.eq.b64 begins, within, 0;
// LOOP-NEXT: @begins prefetch.global.L2 {{\[}}[[A]]];
// LOOP: [[WAIT]]:
// LOOP-NOT: ld.global
// A program's only kernel lets the next program start before it waits.
// LOOP: griddepcontrol.launch_dependents
// LOOP: griddepcontrol.wait
// LOOP: ld.global.v4
func.func @loop(%x: tensor<8192x8192xf16>) -> tensor<8192x8192xf16> {
  %0 = trace.relu %x : (tensor<8192x8192xf16>) -> tensor<8192x8192xf16>
  return %0 : tensor<8192x8192xf16>
}

// Four vectors of a thread of a warp for each row; 4224 = 32 * 132.
// ROW: setp.gt.u32 {{.*}}, 4223
// ROW-COUNT-4: prefetch.global.L2
// ROW-NOT: ld.global
// ROW: griddepcontrol.wait
// ROW-COUNT-4: ld.global.v4
// ROW-NOT: ld.global
func.func @softmax(%x: tensor<65536x1024xf16>) -> tensor<65536x1024xf16> {
  %0 = trace.softmax %x dim = -1 : (tensor<65536x1024xf16>) -> tensor<65536x1024xf16>
  return %0 : tensor<65536x1024xf16>
}

// The part of a row that a block of a cluster copies to shared memory.
// LONG: mbarrier.init
// LONG: cp.async.bulk.prefetch.L2.global [{{%rd[0-9]+}}], %r
// LONG: griddepcontrol.wait
// LONG: cp.async.bulk.shared::cluster.global
func.func @long(%x: tensor<512x131072xf16>) -> tensor<512x131072xf16> {
  %0 = trace.softmax %x dim = -1 : (tensor<512x131072xf16>) -> tensor<512x131072xf16>
  return %0 : tensor<512x131072xf16>
}

// The rows in flight. The kernel that adds up the parts' sums reads too few.
// COLUMN: .entry column_reduce_1_sum
// COLUMN: griddepcontrol.wait
// COLUMN: .entry column_reduce_0_sum
// COLUMN-COUNT-8: prefetch.global.L2
// COLUMN-NOT: ld.global
// COLUMN: griddepcontrol.wait
// COLUMN-COUNT-8: ld.global.L1::no_allocate.v4
func.func @column(%x: tensor<16384x8192xf16>) -> tensor<8192xf16> {
  %0 = trace.sum %x dims = [0] : (tensor<16384x8192xf16>) -> tensor<8192xf16>
  return %0 : tensor<8192xf16>
}

// Nothing is asked for where that takes longer: tiles, and rows that are
// scanned.
// TRANSPOSE: griddepcontrol.wait
// TRANSPOSE-COUNT-4: ld.global.v4
func.func @transpose(%x: tensor<8192x16384xf16>) -> tensor<16384x8192xf16> {
  %0 = trace.permute %x [1, 0] : (tensor<8192x16384xf16>) -> tensor<16384x8192xf16>
  return %0 : tensor<16384x8192xf16>
}

// The places of the rows; the rows are not known yet.
// EMBEDDING-COUNT-2: prefetch.global.L2
// EMBEDDING-NOT: ld.global
// EMBEDDING: griddepcontrol.wait
// EMBEDDING: ld.global.b64
func.func @embedding(%w: tensor<50304x1024xf16>, %i: tensor<65536xi64>) -> tensor<65536x1024xf16> {
  %0 = trace.embedding %w, %i : (tensor<50304x1024xf16>, tensor<65536xi64>) -> tensor<65536x1024xf16>
  return %0 : tensor<65536x1024xf16>
}

// SCAN: griddepcontrol.wait
// SCAN: ld.global.v4
func.func @cumsum(%x: tensor<8192x8192xf16>) -> tensor<8192x8192xf16> {
  %0 = trace.cumsum %x dim = 1 : (tensor<8192x8192xf16>) -> tensor<8192x8192xf16>
  return %0 : tensor<8192x8192xf16>
}

// Sizes are known before anything ends.
// DYNAMIC: prefetch.global.L2
// DYNAMIC-NOT: ld.global
// DYNAMIC: griddepcontrol.wait
func.func @dynamic(%x: tensor<?xf16> {tripy.profile = #tripy.profile<min = [0], opt = [9], max = [99999]>}) -> tensor<?xf16> {
  %0 = trace.relu %x : (tensor<?xf16>) -> tensor<?xf16>
  return %0 : tensor<?xf16>
}

// A slice of one column: no two threads read the same sector, so that each asks for its own, and a thread has two elements
// of 2 bytes, so that many multiprocessors do.
// APART: shl.b{{16|32}} %r{{s?[0-9]+}}, %r{{s?[0-9]+}}, 1;
// APART-COUNT-2: prefetch.global.L2
// APART: griddepcontrol.wait
// APART-COUNT-2: ld.global.b16
// APART: st.global.v2.b16
func.func @column_of_rows(%x: tensor<8x512x14x14xf16>) -> tensor<8x267x14x1xf16> {
  %0 = trace.slice %x [0, 224, 0, 3] to [8, 491, 14, 4] by [1, 1, 1, 1] : (tensor<8x512x14x14xf16>) -> tensor<8x267x14x1xf16>
  return %0 : tensor<8x267x14x1xf16>
}
