//===- Machines.td - Constants about GPUs -------------------*- TableGen -*-===//
//
// The one place for what another GPU would have another value of: numbers of
// units, rates, latencies, and what models of costs were fitted with. It makes
// the struct Machine (Machines.h), docs/machines.md and what 'tripy-compile
// --print-machine' prints. Tables of tiles, threads of a block and the like are
// properties of kernels and stay there.
//
// MachineConstants.td says what each of them means.
//
//===----------------------------------------------------------------------===//

include "tripy/Base/MachineConstants.td"

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

defvar guide = Doc<"CUDA C++ Programming Guide, Compute Capabilities">;
defvar isa = Doc<"PTX ISA, Release Notes">;
defvar gemm = "bench/results/notes-gemm.md";
defvar memory = "bench/results/notes-memory-bound.md";

def sm_90a : Machine<"H100 SXM, H200", [
  Fact<ptx, "84", isa>,
  Fact<multiprocessors, "132", Doc<"H100 white paper">>,
  Fact<sharedBytes, "233472", guide>,
  Fact<blockSharedBytes, "232448", guide>,
  Fact<reservedBytes, "1024", guide>,
  Fact<clusterBlocks, "16", guide>,
  Fact<residentThreads, "2048", guide>,
  Fact<residentBlocks, "32", guide>,
  Fact<registers, "65536", guide>,
  Fact<schedulers, "4", guide>,
  Fact<sharedRate, "128", guide>,
  Fact<products, "1024", Guess>,
  Fact<peakProducts, "2048", Doc<"H100 white paper">>,
  Fact<peakFMA, "128", Doc<"H100 white paper">>,

  Fact<memoryBytes, "2000", Measured<"2026-11-22", gemm # " 19">>,
  Fact<bytesInFlight, "49152", Guess>,
  Fact<blockStartBytes, "6144", Fit<memory>>,
  Fact<rowBytesPerNs, "50", Fit<memory>>,
  Fact<exchangeNs, "900", Fit<memory>>,
  Fact<rowElementNs, "0.05", Guess>,
  Fact<residentReductions, "4", Guess>,
  Fact<busyThreads, "1024", Guess>,
  Fact<columnBlocks, "512", Guess>,
  Fact<columnBytesFull, "134217728", Guess>,
  Fact<columnBytesEmpty, "16777216", Guess>,
  Fact<rowBlocks, "512", Guess>,
  Fact<rowPartBytes, "16384", Guess>,
  Fact<clusterColumns, "524288", Guess>,
  Fact<sortBlocks, "256", Guess>,
  Fact<streamedElements, "16777216", Guess>,
  Fact<gatheredVectors, "2", Fit<memory>>,

  Fact<mmaL2Bytes, "40", Guess>,
  Fact<mmaKBlockCycles, "250", Guess>,
  Fact<mmaRegisterKBlockCycles, "900", Measured<"2026-11-24", gemm # " 22">>,
  Fact<mmaShiftedKBlockCycles, "1500", Fit<gemm # " 28">>,
  Fact<mmaShiftedBlockCycles, "500", Fit<gemm # " 28">>,
  Fact<mmaWordBytes, "4", Fit<gemm # " 28">>,
  Fact<mmaStartCycles, "2000", Guess>,
  Fact<mmaStoredElements, "8", Guess>,

  Fact<f32Reached, "1.22", Fit<gemm # " 53">>,
  Fact<f32FragmentCycles, "0.024", Fit<gemm # " 53">>,
  Fact<f32NumberCycles, "0.024", Fit<gemm # " 53">>,
  Fact<f32WordBytes, "19", Fit<gemm # " 53">>,
  Fact<f32WordsExposed, "0.45", Fit<gemm # " 53">>,
  Fact<f32ArrivalCycles, "1240", Fit<gemm # " 53">>,
  Fact<f32KBlockCycles, "88", Fit<gemm # " 53">>,
  Fact<f32BlockCycles, "300", Fit<gemm # " 53">>,
  Fact<f32StoredCycles, "0.227", Fit<gemm # " 53">>,
  Fact<f32StartCycles, "4200", Fit<gemm # " 53">>,
  Fact<f32TailElements, "14.5", Fit<gemm # " 53">>,
  Fact<f32TailCycles, "2000", Fit<gemm # " 53">>,

  Fact<simtStartCycles, "4900", Fit<gemm # " 35">>,
  Fact<simtProductCycles, "0.0052", Fit<gemm # " 35">>,
  Fact<simtNumberCycles, "0.19", Fit<gemm # " 35">>,
  Fact<simtRegisterKBlockCycles, "560", Measured<"2026-11-24", gemm # " 22">>,
  Fact<simtRunCycles, "2.4", Fit<gemm # " 35">>,
  Fact<simtOddRows, "4", Fit<gemm # " 35">>,
  Fact<simtSplitCycles, "230", Fit<gemm # " 35">>,
  Fact<simtSplitElements, "22", Fit<gemm # " 35">>,
  Fact<simtWideClusters, "1.15", Fit<gemm # " 35">>,
  Fact<tails, "1.05", Fit<gemm # " 35">>,
  Fact<tailCycles, "1000", Fit<gemm # " 35">>,
  Fact<tailElements, "12", Fit<gemm # " 35">>,

  Fact<libraryL2Bytes, "48", Guess>,
  Fact<libraryLaunchCycles, "1700", Guess>,
  Fact<libraryReached, "0.95", Guess>,
  Fact<ownMmaReached, "0.75", Guess>,
  Fact<libraryUnaligned, "1.6", Guess>,
  Fact<libraryStoredElements, "15", Guess>,

  Fact<copiedProducts, "16777216", Guess>,
  Fact<attentionBlockCycles, "1600", Guess>,
  Fact<attentionLaunchCycles, "5000", Guess>,
  Fact<attentionBlockBytes, "34", Fit<gemm # " 41">>,
  Fact<attentionJoinedBytes, "21", Fit<gemm # " 41">>,
  Fact<attentionMemoryBytes, "2450", Fit<gemm # " 41">>,
  Fact<attentionClusterBytes, "2150", Fit<gemm # " 41">>,
  Fact<attentionSplitProducts, "310", Fit<gemm # " 54">>,
  Fact<attentionSplitPair, "0.88", Fit<gemm # " 54">>,
  Fact<attentionCopyCycles, "1500", Guess>,
  Fact<attentionFollowCycles, "5000", Fit<gemm # " 52">>,
  Fact<attentionJoinCycles, "2000", Guess>,
  Fact<attentionClusterCycles, "1000", Guess>,
  Fact<attentionPartCycles, "40", Guess>,
  Fact<attentionComputedCycles, "0.38", Measured<"2026-11-27", gemm # " 32">>,
  Fact<prologueMemoryBytes, "2450", Guess>,
  Fact<prologueLaunchCycles, "3000", Guess>,
  Fact<prologueInstructions, "3", Guess>,
  Fact<prologueExposed, "1.0 / 3", Guess>,
  Fact<prologueStall, "0.05", Guess>,

  Fact<residentClusters, "132, 66, 36, 28, 16, 16, 14, 14", Fit<gemm # " 4, 16">>,
  Fact<wgmmaReached, "0.92", Fit<gemm # " 27">>,
  Fact<loadedReached, "0.75", Fit<gemm # " 49">>,
  Fact<lightIntensity, "100", Fit<gemm # " 49">>,
  Fact<loadedIntensity, "300", Fit<gemm # " 49">>,
  Fact<wgmmaL2Bytes, "3700", Fit<gemm # " 27">>,
  Fact<arrivingBytes, "64", Fit<gemm>>,
  Fact<brokenLines, "2", Fit<gemm # " 43">>,
  Fact<memoryBytesOne, "31", Fit<gemm # " 19">>,
  Fact<memoryBytesBase, "900", Fit<gemm # " 19">>,
  Fact<memoryBytesEach, "8.6", Fit<gemm # " 19">>,
  Fact<kBlockStart, "185", Fit<gemm # " 49">>,
  Fact<kBlockBytes, "250", Fit<gemm # " 27">>,
  Fact<leastColumns, "48", Guess>,
  Fact<clusterStart, "1500", Guess>,
  Fact<clusterWait, "1.02", Guess>,
  Fact<pairWait, "1.03", Fit<gemm # " 27">>,
  Fact<rowExchangeCycles, "800", Fit<gemm # " 41">>,
  Fact<rowKernelStart, "3000", Fit<gemm # " 41">>,
  Fact<wholeRowShare, "0.89", Fit<gemm # " 42">>,
  Fact<splitStart, "1000", Fit<gemm # " 27">>,
  Fact<splitBytes, "85000", Fit<gemm # " 14">>,
  Fact<splitRate, "6.5", Fit<gemm # " 42">>,
  Fact<sharedRowWait, "1.1", Fit<gemm # " 42">>,
  Fact<brokenSectorCycles, "15", Fit<gemm # " 42">>,
  Fact<longSplitWait, "1.1", Fit<gemm # " 42">>,
  Fact<longSplitK, "4096", Fit<gemm # " 42">>,
  Fact<flagCycles, "1500", Guess>,
  Fact<streamApart, "1.3", Fit<gemm # " 23">>,
  Fact<sumBytes, "32", Guess>,
  Fact<boxElements, "8", Fit<gemm # " 32">>,
  Fact<pieceStart, "8", Fit<gemm # " 32">>,
  Fact<pingPongElements, "7.5", Fit<gemm # " 32">>,
  Fact<tileStart, "700", Fit<gemm # " 32">>,
  Fact<threadElements, "6", Fit<gemm # " 27">>,
  Fact<swapABWait, "1.05", Fit<gemm # " 51">>,
  Fact<swapABCutWait, "1.1", Fit<gemm # " 48">>,
  Fact<swapABElements, "3.3", Fit<gemm # " 48">>,
  Fact<rowElements, "3.1", Fit<gemm # " 27">>,
  Fact<rowStart, "20", Fit<gemm # " 27">>,
  Fact<sectorElements, "8.5", Fit<gemm # " 29">>,
  Fact<windowStart, "40", Fit<gemm # " 29">>,
  Fact<windowSource, "1.4", Fit<gemm # " 44">>,
  Fact<missedTwice, "0.2", Fit<gemm # " 22">>,
  Fact<threadSources, "1", Measured<"2026-11-24", gemm # " 22">>,
  Fact<epilogueOperations, "90", Fit<gemm # " 32">>,
  Fact<prologueWait, "100", Guess>,
  Fact<fewRowsElements, "8388608", Fit<gemm # " 18">>,
  Fact<fewRowsColumns, "1024", Fit<gemm # " 18">>,
  Fact<fewRowsProducts, "1048576", Fit<gemm # " 18">>,
  Fact<attentionKeys, "16", Guess>,
  Fact<attentionTile, "1.5", Guess>,
  Fact<attentionScores, "32", Fit<gemm # " 33">>,
  Fact<attentionExposed, "60, 55, 35, 35, 35, 35, 35, 35", Fit<gemm # " 33">>,
  Fact<attentionPartialRow, "13", Fit<gemm # " 52">>,
  Fact<attentionBlockStart, "500", Fit<gemm # " 33">>,
  Fact<keptBytes, "33554432", Guess>,
]>;

def sm_90 : Machine<"H100 SXM, H200", []> {
  let Like = sm_90a;
  let SameCard = true;
}

def sm_75 : Machine<"T4, TITAN RTX", [
  Fact<ptx, "84", isa>,
  Fact<multiprocessors, "72", Doc<"Turing white paper">>,
  Fact<sharedBytes, "65536", guide>,
  Fact<blockSharedBytes, "65536", guide>,
  Fact<reservedBytes, "0", guide>,
  Fact<clusterBlocks, "1", guide>,
  Fact<registers, "65536", guide>,
  Fact<schedulers, "4", guide>,
  Fact<products, "512", Doc<"Turing white paper">>,
  Fact<peakProducts, "512", Doc<"Turing white paper">>,
  Fact<peakFMA, "64", Doc<"Turing white paper">>,
]> { let Like = sm_90a; }

def sm_80 : Machine<"A100", [
  Fact<ptx, "84", isa>,
  Fact<multiprocessors, "108", Doc<"A100 white paper">>,
  Fact<sharedBytes, "167936", guide>,
  Fact<blockSharedBytes, "166912", guide>,
  Fact<reservedBytes, "1024", guide>,
  Fact<clusterBlocks, "1", guide>,
  Fact<residentThreads, "2048", guide>,
  Fact<residentBlocks, "32", guide>,
  Fact<registers, "65536", guide>,
  Fact<schedulers, "4", guide>,
  Fact<products, "1024", Doc<"A100 white paper">>,
  Fact<peakProducts, "1024", Doc<"A100 white paper">>,
  Fact<peakFMA, "64", Doc<"A100 white paper">>,
]> { let Like = sm_90a; }

def sm_87 : Machine<"Jetson AGX Orin", [
  Fact<ptx, "84", isa>,
  Fact<multiprocessors, "16", Doc<"Jetson AGX Orin technical brief">>,
  Fact<sharedBytes, "167936", guide>,
  Fact<blockSharedBytes, "166912", guide>,
  Fact<reservedBytes, "1024", guide>,
  Fact<clusterBlocks, "1", guide>,
  Fact<registers, "65536", guide>,
  Fact<schedulers, "4", guide>,
  Fact<products, "1024", Doc<"Jetson AGX Orin technical brief">>,
  Fact<peakProducts, "1024", Doc<"Jetson AGX Orin technical brief">>,
  Fact<peakFMA, "128", Doc<"Jetson AGX Orin technical brief">>,
]> { let Like = sm_80; }

/// 8.6, 8.9 and 12.0: less shared memory, and tensor cores of half the rate.
defvar small = [
  Fact<sharedBytes, "102400", guide>,
  Fact<blockSharedBytes, "101376", guide>,
  Fact<reservedBytes, "1024", guide>,
  Fact<registers, "65536", guide>,
  Fact<schedulers, "4", guide>,
  Fact<products, "512", Doc<"the architecture's white paper">>,
  Fact<peakProducts, "512", Doc<"the architecture's white paper">>,
  Fact<peakFMA, "128", Doc<"the architecture's white paper">>,
];

def sm_86 : Machine<"A40, RTX 3090 Ti", small # [
  Fact<ptx, "84", isa>,
  Fact<multiprocessors, "84", Doc<"GA102 white paper">>,
  Fact<clusterBlocks, "1", guide>,
]> { let Like = sm_80; }

def sm_89 : Machine<"L40, RTX 6000 Ada", small # [
  Fact<ptx, "84", isa>,
  Fact<multiprocessors, "142", Doc<"AD102 white paper">>,
  Fact<clusterBlocks, "1", guide>,
]> { let Like = sm_80; }

defvar large = [
  Fact<sharedBytes, "233472", guide>,
  Fact<blockSharedBytes, "232448", guide>,
  Fact<reservedBytes, "1024", guide>,
  Fact<clusterBlocks, "16", guide>,
  Fact<residentThreads, "2048", guide>,
  Fact<residentBlocks, "32", guide>,
  Fact<registers, "65536", guide>,
  Fact<schedulers, "4", guide>,
  Fact<peakProducts, "4096", Doc<"Blackwell architecture brief">>,
  Fact<peakFMA, "128", Doc<"Blackwell architecture brief">>,
];

def sm_100 : Machine<"B200", large # [
  Fact<ptx, "86", isa>,
  Fact<multiprocessors, "148", Doc<"Blackwell architecture brief">>,
]> { let Like = sm_90a; }

def sm_100a : Machine<"B200", []> {
  let Like = sm_100;
  let SameCard = true;
}

def sm_103 : Machine<"B300", large # [
  Fact<ptx, "88", isa>,
]> { let Like = sm_100; }

def sm_103a : Machine<"B300", []> {
  let Like = sm_103;
  let SameCard = true;
}

def sm_120 : Machine<"RTX PRO 6000 Blackwell", small # [
  Fact<ptx, "87", isa>,
  Fact<multiprocessors, "188", Doc<"RTX Blackwell PRO white paper">>,
  Fact<clusterBlocks, "8", guide>,
]> { let Like = sm_90a; }

def sm_120a : Machine<"RTX PRO 6000 Blackwell", []> {
  let Like = sm_120;
  let SameCard = true;
}
