//===- MachineConstants.td - What Machines.td states -------*- TableGen -*-===//
//
// The constants about a GPU: name, C++ type, unit and meaning of each.
//
// Cycles are those of a multiprocessor. Rates without "multiprocessor" in their
// unit are of the whole GPU.
//
// An effective rate that fits one model need not fit another: then each has a
// constant of its own, which its name says. To make one of two is a change of
// choices, and needs measurements.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_MACHINECONSTANTS_TD
#define TRIPY_BASE_MACHINECONSTANTS_TD

include "tripy/Base/Machine.td"

//===----------------------------------------------------------------------===//
// What documents say
//===----------------------------------------------------------------------===//

def ptx : Constant<"int64_t", "version x 10", "The oldest version of PTX that has all instructions of the chip, 8.4 at least: with it, wgmma and TMA are complete.">;
def multiprocessors : Constant<"int64_t", "multiprocessors", "Those of the largest card.">;
def sharedBytes : Constant<"int64_t", "bytes / multiprocessor", "Shared memory that blocks divide.">;
def blockSharedBytes : Constant<"int64_t", "bytes / block", "Shared memory that a block may use, static and dynamic.">;
def reservedBytes : Constant<"int64_t", "bytes / block", "Shared memory that each block takes for the system.">;
def clusterBlocks : Constant<"int64_t", "blocks / cluster", "Blocks that a cluster may have; 1: there are no clusters. 16 is more than each GPU of a kind must be able to run, but sm_90 and sm_100 can.">;
def residentThreads : Constant<"int64_t", "threads / multiprocessor", "Threads that there is room for. Chips with room for 1024 or 1536 (7.5, 8.6, 8.7, 8.9, 12.0) are taken like the others: kernels for them were never measured.">;
def residentBlocks : Constant<"int64_t", "blocks / multiprocessor", "Blocks that there is room for; see residentThreads.">;
def registers : Constant<"int64_t", "registers / multiprocessor", "Registers of 32 bits that threads divide.">;
def schedulers : Constant<"int64_t", "warps / cycle / multiprocessor", "Warps that issue an instruction at the same time.">;
def sharedRate : Constant<"double", "bytes / cycle / multiprocessor", "What shared memory delivers.">;
def products : Constant<"int64_t", "multiply-adds / cycle / multiprocessor", "16-bit numbers into f32 with mma.sync.">;
def peakProducts : Constant<"int64_t", "multiply-adds / cycle / multiprocessor", "The same with the fastest instruction there is, without sparsity. Profiles compare with it.">;
def peakFMA : Constant<"int64_t", "multiply-adds / cycle / multiprocessor", "f32 on the CUDA cores. Profiles compare with it.">;

//===----------------------------------------------------------------------===//
// Memory and launches
//===----------------------------------------------------------------------===//

def memoryBytes : Constant<"double", "bytes / cycle", "What memory delivers to all multiprocessors while tensor cores work.">;
def bytesInFlight : Constant<"int64_t", "bytes / multiprocessor", "Loads under way that keep memory busy. Little's law asks for 25 KB (4.2 TB/s x 0.8 us); twice as many, because the last wave is not full and threads that reduce load nothing.">;
def blockStartBytes : Constant<"int64_t", "bytes / block", "What a block should move: 5 KB are moved in the time that it takes to start one (0.83 blocks in a nanosecond).">;
def rowBytesPerNs : Constant<"double", "bytes / ns / multiprocessor", "What a multiprocessor moves when it is not one of many.">;
def exchangeNs : Constant<"double", "ns", "An exchange of results over a cluster.">;
def rowElementNs : Constant<"double", "ns / element / multiprocessor", "The arithmetic of a pass over a row.">;
def residentReductions : Constant<"int64_t", "blocks / multiprocessor", "Blocks of 256 threads of a reduction that are under way together, so that one loads while another combines.">;
def busyThreads : Constant<"int64_t", "threads / multiprocessor", "Threads that keep memory busy with eight loads each: half of those that there is room for.">;
def columnBlocks : Constant<"int64_t", "blocks", "Blocks that fill the GPU in reductions down columns.">;
def columnBytesFull : Constant<"int64_t", "bytes", "From here on a second kernel pays in a reduction down columns whose clusters reach the memory's rate; it costs 2 us.">;
def columnBytesEmpty : Constant<"int64_t", "bytes", "The same where they do not reach it.">;
def rowBlocks : Constant<"int64_t", "blocks", "Blocks that fill the GPU in reductions of rows.">;
def rowPartBytes : Constant<"int64_t", "bytes / block", "Bytes of a row that are worth a block, whose threads load them at once.">;
def clusterColumns : Constant<"int64_t", "elements", "Longest row that the blocks of a cluster share where its elements are needed again behind a reduction: they come from the L2 cache.">;
def sortBlocks : Constant<"int64_t", "blocks", "Blocks that fill the GPU in sorts of long rows, two for each multiprocessor. Each reads the counts of all of its row's.">;
def streamedElements : Constant<"int64_t", "elements", "Tensors with so many do not fit in the caches: large tiles transpose them.">;
def gatheredVectors : Constant<"int64_t", "vectors / thread", "Loads of 16 bytes of a thread that gathers: with one each, the threads of a "
                               "multiprocessor have 16 KB under way on average, and half of the rate needs 20 KB. 65536 rows of 2 KB: 62.0 us "
                               "with two, 63.4 with four.">;

//===----------------------------------------------------------------------===//
// The model of mma.sync (MmaSchedule.cpp)
//===----------------------------------------------------------------------===//

def mmaL2Bytes : Constant<"double", "bytes / cycle / multiprocessor", "What the L2 cache delivers to mma.sync's kernels.">;
def mmaKBlockCycles : Constant<"double", "cycles / k-block", "From the wait for a k-block to the next, when nothing else runs.">;
def mmaRegisterKBlockCycles : Constant<"double", "cycles / k-block", "The same where copies pass through registers, for what runs on CUDA cores as well: the way to memory and back.">;
def mmaShiftedKBlockCycles : Constant<"double", "cycles / k-block", "The same where rows are odd numbers of 16-bit elements, which are read as words and shifted.">;
def mmaShiftedBlockCycles : Constant<"double", "cycles / k-block / block", "What each block of a multiprocessor adds to that.">;
def mmaWordBytes : Constant<"double", "bytes / cycle / multiprocessor", "Copies of 4 bytes each; of 8 they are twice as many.">;
def mmaStartCycles : Constant<"double", "cycles / block", "Before the first k-block.">;
def mmaStoredElements : Constant<"double", "elements / cycle / multiprocessor", "What is stored of results.">;

//===----------------------------------------------------------------------===//
// The model of tiles on CUDA cores (SimtSchedule.cpp)
//===----------------------------------------------------------------------===//

def simtStartCycles : Constant<"double", "cycles / launch", "From the launch to the first k-block, and from the last result to the end.">;
def simtProductCycles : Constant<"double", "cycles / multiply-add / multiprocessor", "What they add to the copies of their k-block, which they overlap with: 1 / peakFMA would be all of it.">;
def simtNumberCycles : Constant<"double", "cycles / element / multiprocessor", "A number of an operand on its way through shared memory to the registers.">;
def simtRegisterKBlockCycles : Constant<"double", "cycles / k-block", "Of copies that pass through registers: the way to memory and back.">;
def simtRunCycles : Constant<"double", "cycles / run", "Storing four neighbours of a thread, where a multiprocessor has one block; it has others to go on with.">;
def simtOddRows : Constant<"double", "factor of time", "Of storing rows that are no multiple of four elements.">;
def simtSplitCycles : Constant<"double", "cycles / block", "Blocks of a cluster that add their parts of K wait for each other.">;
def simtWideClusters : Constant<"double", "factor of time", "Of clusters of more than two blocks, which the GPU places where a whole one has room.">;
def simtSplitElements : Constant<"double", "elements / cycle / multiprocessor", "Parts that travel through the cluster.">;

//===----------------------------------------------------------------------===//
// Tails of contractions that are split along K (SplitTail.h)
//===----------------------------------------------------------------------===//

def tails : Constant<"double", "factor of time", "Of kernels with a split tail: more is read at a time than by tiles that go along K together.">;
def tailCycles : Constant<"double", "cycles / tile", "The last block of a tile learns that it is so.">;
def tailElements : Constant<"double", "elements / cycle / multiprocessor", "Sums that travel through memory.">;

//===----------------------------------------------------------------------===//
// The model of cuBLASLt, and of own kernels beside it (LibraryCandidates.cpp)
//===----------------------------------------------------------------------===//

def libraryL2Bytes : Constant<"double", "bytes / cycle / multiprocessor", "What the L2 cache delivers.">;
def libraryLaunchCycles : Constant<"double", "cycles / launch", "A launch that does not overlap with those around it.">;
def libraryReached : Constant<"double", "share of multiply-adds", "What its main loops reach.">;
def ownMmaReached : Constant<"double", "share of multiply-adds", "What own main loops with mma.sync reach.">;
def libraryUnaligned : Constant<"double", "factor of time", "Rows that are no multiple of 16 bytes.">;
def libraryStoredElements : Constant<"double", "elements / cycle / multiprocessor", "What is stored of results.">;

//===----------------------------------------------------------------------===//
// Estimates of fusion (RecogniseAttention.cpp, Prologues.cpp)
//===----------------------------------------------------------------------===//

def copiedProducts : Constant<"int64_t", "multiply-adds", "From here on tensor cores are worth a kernel that copies an operand: CUDA cores take about as long as the launch of that kernel.">;
def attentionBlockCycles : Constant<"int64_t", "cycles / multiprocessor", "Two blocks of 64 queries side by side go through 64 keys of 128 numbers.">;
def attentionLaunchCycles : Constant<"int64_t", "cycles / launch", "A small kernel, from launch to end.">;
def attentionBlockBytes : Constant<"double", "bytes / cycle", "What a block of attention with few queries reads alone.">;
def attentionCopyCycles : Constant<"double", "cycles", "The first keys of a block of attention with few queries, from launch to shared memory.">;
def attentionJoinCycles : Constant<"double", "cycles", "Joining of parts whose keys blocks divide: stores, a counter, loads.">;
def attentionPartCycles : Constant<"double", "cycles / part", "The same, for each part.">;
def attentionComputedCycles : Constant<"double", "cycles / score / multiprocessor", "What a score costs more where the kernel computes its queries, so that mma.sync multiplies them and not wgmma.">;
def prologueMemoryBytes : Constant<"double", "bytes / cycle", "What memory delivers to a kernel that writes a left operand, and its reader.">;
def prologueLaunchCycles : Constant<"double", "cycles / launch", "A kernel that computes a left operand ahead of the product.">;
def prologueInstructions : Constant<"double", "instructions / element", "To read, widen and round an element of a left operand that is computed on the way, besides the function's own.">;
def prologueExposed : Constant<"double", "share of cycles", "Of the shorter of computing and multiplying, what the longer does not hide.">;
def prologueStall : Constant<"double", "share of cycles", "Of multiplying, waits for registers of a computed operand.">;

//===----------------------------------------------------------------------===//
// The model of wgmma (WgmmaTiles.cpp, AttentionProblem.cpp)
//===----------------------------------------------------------------------===//

let Inherited = false in {
def residentClusters : Constant<"int64_t[8]", "clusters", "Clusters of 1 to 8 blocks that run at the same time, a block for each multiprocessor. "
                                "These come in groups that a cluster lies within, most of 16 or 18, and cards differ in them; one cluster more "
                                "would begin when others end. Measured were 132, 66, 39, 30, 22, 17, 15, 15: less is taken.">;
def wgmmaReached : Constant<"double", "share of multiply-adds", "What main loops reach when nothing else holds them up.">;
def wgmmaL2Bytes : Constant<"double", "bytes / cycle", "What the L2 cache delivers to TMA, of lines that one multiprocessor asks for. Where several ask "
                            "for a line at about the same time, it costs less than that: see sharedLines() in WgmmaTiles.cpp.">;
def arrivingBytes : Constant<"double", "bytes / cycle / multiprocessor", "What arrives in shared memory, also of what others of the cluster asked for.">;
def arrivingBroken : Constant<"double", "bytes / cycle / multiprocessor", "The same of rows that begin within a line.">;
def brokenLines : Constant<"double", "requests / line", "Rows that begin within a line of the L2 cache.">;
def memoryBytesOne : Constant<"double", "bytes / cycle / multiprocessor", "What memory delivers to one of few blocks.">;
def memoryBytesBase : Constant<"double", "bytes / cycle", "With memoryBytesEach: what it delivers to some blocks. 40, 64 and 96 get 31, 23 and 18 each.">;
def memoryBytesEach : Constant<"double", "bytes / cycle / multiprocessor", "What each further block adds.">;
def kBlockStart : Constant<"double", "cycles / k-block", "A k-block takes this at least, and kBlockBytes.">;
def kBlockBytes : Constant<"double", "bytes / cycle / multiprocessor", "Of a k-block, besides kBlockStart.">;
def leastColumns : Constant<"int64_t", "columns", "Instructions of fewer columns take as long as those of this many.">;
def clusterStart : Constant<"double", "cycles", "Until the blocks of a cluster that share k-blocks know of each other.">;
def clusterWait : Constant<"double", "factor of time", "They wait for each other.">;
def pairWait : Constant<"double", "factor of time", "The same of two blocks above each other where nothing else makes sharing pay.">;
def splitStart : Constant<"double", "cycles", "With splitBytes: b bytes that a block sends to join a split K take splitStart + b^2 / splitBytes, 2.9, 4.5 and 8.5 to 15 thousand cycles for 8, 16 and 32 KiB. The more they are, the fewer k-blocks are under way.">;
def splitBytes : Constant<"double", "bytes^2 / cycle", "See splitStart.">;
def flagCycles : Constant<"double", "cycles", "Stream-K: a wait for another block's sums.">;
def streamApart : Constant<"double", "factor of time", "Stream-K: blocks are at different places of K, and share no reads. Not of swapAB.">;
def sumBytes : Constant<"double", "bytes / cycle / multiprocessor", "Stream-K: sums written to global memory, or read.">;
def boxElements : Constant<"double", "elements / cycle / multiprocessor", "Results that TMA stores.">;
def pieceStart : Constant<"double", "elements / row of a tile", "Results that memory bounds: what each row of a tile costs more in stores to memory.">;
def pingPongElements : Constant<"double", "elements / cycle / multiprocessor", "The same of one of two consumers in ping-pong.">;
def tileStart : Constant<"double", "cycles / tile", "From a tile of a block to its next one.">;
def threadElements : Constant<"double", "elements / cycle / multiprocessor", "Results that threads store.">;
def rowElements : Constant<"double", "elements / cycle / multiprocessor", "Results that warps store row by row, in rows that are no multiple of 16 bytes: what becomes of them in the L2 cache, whoever multiplies meanwhile.">;
def rowStart : Constant<"double", "elements / row of a tile", "What each row's first and last store cost more.">;
def sectorElements : Constant<"double", "elements / cycle / multiprocessor", "Results of which warps store whole sectors, in tiles that overlap.">;
def windowStart : Constant<"double", "elements / row of a window", "What each window of 128 columns costs there, and once more where rows are odd.">;
def missedTwice : Constant<"double", "share of bytes", "Of a left operand that two blocks read at about the same time, each half of the columns: what memory delivers twice.">;
def threadSources : Constant<"double", "elements / cycle / multiprocessor", "Results that threads store, each with an element of a residual that they read.">;
def epilogueOperations : Constant<"double", "operations / cycle / multiprocessor", "Of an epilogue, on one element each.">;
def prologueWait : Constant<"double", "cycles / k-block", "Tensor cores wait for a single consumer that computes its left operand.">;
def fewRowsElements : Constant<"int64_t", "elements", "Four to eight rows of 16 bits and a matrix along K: from so many elements of the matrix on, tensor cores are faster than CUDA cores.">;
def fewRowsColumns : Constant<"int64_t", "columns", "And from so many of its columns on, those of all batches.">;
def fewRowsProducts : Constant<"int64_t", "multiply-adds", "The same of a matrix along its columns, and of one to eight rows.">;
def attentionKeys : Constant<"int64_t", "keys / block of keys", "What a block of keys costs beside its products: barriers, and the sums that are multiplied.">;
def attentionTile : Constant<"double", "blocks of keys / tile", "What a tile costs beside its blocks of keys: its first scores and its results, which nothing overlaps with.">;
def attentionScores : Constant<"double", "scores / cycle / multiprocessor", "Maxima, powers and sums of scores.">;
def attentionExposed : Constant<"int64_t[8]", "percent", "Of the shorter of a block's products and of what is done with its scores, what the longer does not hide: with 1, 2 and 3 consumers.">;
def attentionBlockStart : Constant<"double", "cycles / block of keys", "Barriers, and instructions that wait for each other.">;
def keptBytes : Constant<"int64_t", "bytes", "Keys and values that stay in the L2 cache, of 50 MB, while queries and results go through it.">;
}

#endif // TRIPY_BASE_MACHINECONSTANTS_TD
