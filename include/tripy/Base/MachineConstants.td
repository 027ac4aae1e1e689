//===- MachineConstants.td - What Machines.td states -------*- TableGen -*-===//
//
// The constants about a GPU: name, C++ type, unit and meaning of each.
//
// Cycles are those of a multiprocessor. Rates without "multiprocessor" in their
// unit are of the whole GPU.
//
// An effective rate that fits one model need not fit another: then each model
// has a separate constant, named after it. Merging two changes the compiler's
// choices, and needs measurements.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_MACHINECONSTANTS_TD
#define TRIPY_BASE_MACHINECONSTANTS_TD

include "tripy/Base/Machine.td"

//===----------------------------------------------------------------------===//
// Documented limits and rates
//===----------------------------------------------------------------------===//

def ptx : Constant<"int64_t", "version x 10", "The oldest PTX version that has all instructions of the chip, at least 8.4, with which wgmma and TMA are complete.">;
def multiprocessors : Constant<"int64_t", "multiprocessors", "Number of multiprocessors of the largest card.">;
def sharedBytes : Constant<"int64_t", "bytes / multiprocessor", "Shared memory of a multiprocessor, which its blocks divide.">;
def blockSharedBytes : Constant<"int64_t", "bytes / block", "Maximum shared memory of a block, static and dynamic.">;
def reservedBytes : Constant<"int64_t", "bytes / block", "Shared memory that the system reserves for each block.">;
def clusterBlocks : Constant<"int64_t", "blocks / cluster", "Maximum number of blocks of a cluster; 1: there are no clusters. 16 is more than the portable cluster size, but sm_90 and sm_100 support it.">;
def residentThreads : Constant<"int64_t", "threads / multiprocessor", "Maximum number of resident threads. Chips with 1024 or 1536 (7.5, 8.6, 8.7, 8.9, 12.0) are treated like the others: kernels for them were never measured.">;
def residentBlocks : Constant<"int64_t", "blocks / multiprocessor", "Maximum number of resident blocks; see residentThreads.">;
def registers : Constant<"int64_t", "registers / multiprocessor", "32-bit registers of a multiprocessor, which its threads divide.">;
def schedulers : Constant<"int64_t", "warps / cycle / multiprocessor", "Warp schedulers: warps that issue an instruction in the same cycle.">;
def sharedRate : Constant<"double", "bytes / cycle / multiprocessor", "Bandwidth of shared memory.">;
def products : Constant<"int64_t", "multiply-adds / cycle / multiprocessor", "Throughput of mma.sync, 16-bit operands accumulated in f32.">;
def peakProducts : Constant<"int64_t", "multiply-adds / cycle / multiprocessor", "The same for the fastest instruction, without sparsity. Profiles use it as the peak.">;
def peakFMA : Constant<"int64_t", "multiply-adds / cycle / multiprocessor", "Throughput of f32 on the CUDA cores. Profiles use it as the peak of arithmetic.">;

//===----------------------------------------------------------------------===//
// Memory and launches
//===----------------------------------------------------------------------===//

def memoryBytes : Constant<"double", "bytes / cycle", "Memory bandwidth of all multiprocessors while tensor cores work.">;
def bytesInFlight : Constant<"int64_t", "bytes / multiprocessor", "Bytes of loads in flight that saturate the memory. Little's law gives 25 KB (4.2 TB/s x 0.8 us); twice as many, because the last wave is not full and threads that reduce load nothing.">;
def blockStartBytes : Constant<"int64_t", "bytes / block", "Minimum bytes that a block should move: 5 KB are moved in the time that it takes to start one (0.83 blocks per nanosecond).">;
def rowBytesPerNs : Constant<"double", "bytes / ns / multiprocessor", "Memory bandwidth of a multiprocessor if few are active.">;
def exchangeNs : Constant<"double", "ns", "Time of an exchange of results within a cluster.">;
def rowElementNs : Constant<"double", "ns / element / multiprocessor", "Time of the arithmetic of a pass over a row.">;
def residentReductions : Constant<"int64_t", "blocks / multiprocessor", "Blocks of 256 threads of a reduction that are resident together, so that one loads while another combines.">;
def busyThreads : Constant<"int64_t", "threads / multiprocessor", "Threads that saturate the memory with eight loads each: half of the maximum.">;
def columnBlocks : Constant<"int64_t", "blocks", "Blocks that fill the GPU in reductions down columns.">;
def columnBytesFull : Constant<"int64_t", "bytes", "Minimum bytes for a second kernel in a reduction down columns whose clusters reach the memory bandwidth; it costs 2 us.">;
def columnBytesEmpty : Constant<"int64_t", "bytes", "The same for clusters that do not reach it.">;
def rowBlocks : Constant<"int64_t", "blocks", "Blocks that fill the GPU in reductions of rows.">;
def rowPartBytes : Constant<"int64_t", "bytes / block", "Minimum bytes of a row per block that shares it; its threads load them at once.">;
def clusterColumns : Constant<"int64_t", "elements", "Maximum length of a row that the blocks of a cluster share if its elements are used again after a reduction: they come from the L2 cache.">;
def sortBlocks : Constant<"int64_t", "blocks", "Blocks that fill the GPU in sorts of long rows, two per multiprocessor. Each reads the counts of all blocks of its row.">;
def streamedElements : Constant<"int64_t", "elements", "Tensors with at least so many elements do not fit in the caches, and are transposed with large tiles.">;
def gatheredVectors : Constant<"int64_t", "vectors / thread", "16-byte loads in flight per thread of a gather: with one each, the threads of a multiprocessor have 16 KB in flight on average, and half of the bandwidth needs 20 KB. 65536 rows of 2 KB: 62.0 us with two, 63.4 with four.">;

//===----------------------------------------------------------------------===//
// The model of mma.sync (MmaSchedule.cpp)
//===----------------------------------------------------------------------===//

def mmaL2Bytes : Constant<"double", "bytes / cycle / multiprocessor", "Bandwidth of the L2 cache for kernels with mma.sync.">;
def mmaKBlockCycles : Constant<"double", "cycles / k-block", "From the wait for a k-block to the next one, if nothing else runs.">;
def mmaRegisterKBlockCycles : Constant<"double", "cycles / k-block", "The same if copies pass through registers, also for kernels on CUDA cores: the latency of memory.">;
def mmaShiftedKBlockCycles : Constant<"double", "cycles / k-block", "The same for rows of an odd number of 16-bit elements, which are read as words and shifted.">;
def mmaShiftedBlockCycles : Constant<"double", "cycles / k-block / block", "Additional cycles for each resident block.">;
def mmaWordBytes : Constant<"double", "bytes / cycle / multiprocessor", "Bandwidth of 4-byte copies; that of 8-byte copies is twice as high.">;
def mmaStartCycles : Constant<"double", "cycles / block", "Cycles before the first k-block.">;
def mmaStoredElements : Constant<"double", "elements / cycle / multiprocessor", "Throughput of storing results.">;

//===----------------------------------------------------------------------===//
// The model of f32 on tensor cores, three products of TF32 (MmaF32Costs.cpp)
//===----------------------------------------------------------------------===//

def f32Reached : Constant<"double", "factor", "Rate of TF32 products in place of half of `products`.">;
def f32FragmentCycles : Constant<"double", "cycles / element of a warp", "Reading an operand's element from shared memory and splitting it into two numbers of TF32.">;
def f32NumberCycles : Constant<"double", "cycles / element of a block", "Copying an operand's element to shared memory.">;
def f32WordBytes : Constant<"double", "bytes / cycle / multiprocessor", "Bandwidth of 4-byte copies; that of 8-byte copies is twice as high.">;
def f32WordsExposed : Constant<"double", "share of time", "Of such copies and of everything else, the part of the shorter one that the longer one does not hide.">;
def f32ArrivalCycles : Constant<"double", "cycles", "From the request of a k-block to its arrival.">;
def f32KBlockCycles : Constant<"double", "cycles / k-block", "Barriers and latencies of a k-block that no other block hides.">;
def f32BlockCycles : Constant<"double", "cycles / block", "Cycles before the first k-block.">;
def f32StoredCycles : Constant<"double", "cycles / element / multiprocessor", "Storing a result.">;
def f32StartCycles : Constant<"double", "cycles / launch", "From the launch to the first block, and from the last result to the end.">;
def f32TailElements : Constant<"double", "elements / cycle / multiprocessor", "Bandwidth of partial sums of a split tail.">;
def f32TailCycles : Constant<"double", "cycles / launch", "Synchronization of the parts of a split tail.">;

//===----------------------------------------------------------------------===//
// The model of tiles on CUDA cores (SimtSchedule.cpp)
//===----------------------------------------------------------------------===//

def simtStartCycles : Constant<"double", "cycles / launch", "From the launch to the first k-block, and from the last result to the end.">;
def simtProductCycles : Constant<"double", "cycles / multiply-add / multiprocessor", "Cycles that multiply-adds add to the copies of their k-block, with which they overlap: without overlap it would be 1 / peakFMA.">;
def simtNumberCycles : Constant<"double", "cycles / element / multiprocessor", "Moving an operand's element through shared memory to the registers.">;
def simtRegisterKBlockCycles : Constant<"double", "cycles / k-block", "For copies that pass through registers: the latency of memory.">;
def simtRunCycles : Constant<"double", "cycles / run", "Storing four adjacent elements of a thread if a multiprocessor has only one block; otherwise other blocks hide it.">;
def simtOddRows : Constant<"double", "factor of time", "For storing rows that are not a multiple of four elements.">;
def simtSplitCycles : Constant<"double", "cycles / block", "Synchronization of the blocks of a cluster in the split-K reduction.">;
def simtWideClusters : Constant<"double", "factor of time", "For clusters of more than two blocks, which the GPU can only place where a whole cluster fits.">;
def simtSplitElements : Constant<"double", "elements / cycle / multiprocessor", "Throughput of the partial sums that the split-K reduction moves through the cluster.">;

//===----------------------------------------------------------------------===//
// Split-K of the last, partial wave of tiles (SplitTail.h)
//===----------------------------------------------------------------------===//

def tails : Constant<"double", "factor of time", "For kernels with a split tail: they read more at a time than tiles that advance along K together.">;
def tailCycles : Constant<"double", "cycles / tile", "For the last block of a tile to find out that it is the last.">;
def tailElements : Constant<"double", "elements / cycle / multiprocessor", "Throughput of partial sums through memory.">;

//===----------------------------------------------------------------------===//
// The model of cuBLASLt, and of Tripy's kernels for comparison
// (LibraryCandidates.cpp)
//===----------------------------------------------------------------------===//

def libraryL2Bytes : Constant<"double", "bytes / cycle / multiprocessor", "Bandwidth of the L2 cache.">;
def libraryLaunchCycles : Constant<"double", "cycles / launch", "A launch that does not overlap with the launches before and after it.">;
def libraryReached : Constant<"double", "share of multiply-adds", "Efficiency of its main loops.">;
def ownMmaReached : Constant<"double", "share of multiply-adds", "Efficiency of Tripy's main loops with mma.sync.">;
def libraryUnaligned : Constant<"double", "factor of time", "For rows that are not a multiple of 16 bytes.">;
def libraryStoredElements : Constant<"double", "elements / cycle / multiprocessor", "Throughput of storing results.">;

//===----------------------------------------------------------------------===//
// Estimates of fusion (RecogniseAttention.cpp, Prologues.cpp)
//===----------------------------------------------------------------------===//

def copiedProducts : Constant<"int64_t", "multiply-adds", "Minimum size for which a kernel that copies an operand for tensor cores is worthwhile: smaller products take about as long on CUDA cores as the launch of that kernel.">;
def attentionBlockCycles : Constant<"int64_t", "cycles / multiprocessor", "Two resident blocks of 64 queries each process 64 keys of 128 elements.">;
def attentionLaunchCycles : Constant<"int64_t", "cycles / launch", "A small kernel, from launch to end.">;
def attentionBlockBytes : Constant<"double", "bytes / cycle", "Memory bandwidth of a single block of attention with few queries.">;
def attentionJoinedBytes : Constant<"double", "bytes / cycle", "The same of splits that meet in global memory, if they run on more than half of all multiprocessors.">;
def attentionMemoryBytes : Constant<"double", "bytes / cycle", "Memory bandwidth of all blocks of attention with few queries.">;
def attentionClusterBytes : Constant<"double", "bytes / cycle", "The same where the splits are clusters of three blocks and more.">;
def attentionSplitProducts : Constant<"double", "multiply-adds / cycle", "Throughput of a block with mma.sync that divides the keys of more than 32 rows.">;
def attentionSplitPair : Constant<"double", "factor of time", "Each of two such blocks on a multiprocessor, in the time of a block alone.">;
def attentionCopyCycles : Constant<"double", "cycles", "The first keys of a block of attention with few queries, from launch to shared memory.">;
def attentionFollowCycles : Constant<"double", "cycles", "A block of attention with few queries that follows another one, alone on a multiprocessor; half of it where two are resident.">;
def attentionJoinCycles : Constant<"double", "cycles", "Combining the results of splits (parts of the keys): stores, a counter, loads.">;
def attentionClusterCycles : Constant<"double", "cycles", "The same through distributed shared memory, if the splits are the blocks of a cluster.">;
def attentionPartCycles : Constant<"double", "cycles / part", "Combining the results of splits, for each split.">;
def attentionComputedCycles : Constant<"double", "cycles / score / multiprocessor", "Additional cycles per score if the kernel computes its queries, so that it uses mma.sync instead of wgmma.">;
def prologueMemoryBytes : Constant<"double", "bytes / cycle", "Memory bandwidth of a kernel that writes a left operand, and of its reader.">;
def prologueLaunchCycles : Constant<"double", "cycles / launch", "A separate kernel that computes a left operand before the product.">;
def prologueInstructions : Constant<"double", "instructions / element", "Reading, widening and rounding an element of a left operand in a prologue, in addition to the function itself.">;
def prologueExposed : Constant<"double", "share of cycles", "The share of the shorter of computing and multiplying that the longer does not hide.">;
def prologueStall : Constant<"double", "share of cycles", "The share of multiplying that is spent waiting for registers of a computed operand.">;

//===----------------------------------------------------------------------===//
// The model of wgmma (WgmmaTiles.cpp, AttentionProblem.cpp)
//===----------------------------------------------------------------------===//

let Inherited = false in {
def residentClusters : Constant<"int64_t[8]", "clusters", "Clusters of 1 to 8 blocks that run at the same time, with one block per multiprocessor. Multiprocessors form groups (GPCs), most of 16 or 18, within which a cluster lies, and which differ between cards; an additional cluster would begin when others end. Measured were 132, 66, 39, 30, 22, 17, 15, 15; the values are lower.">;
def wgmmaReached : Constant<"double", "share of multiply-adds", "Efficiency of main loops if nothing else limits them.">;
def loadedReached : Constant<"double", "share of multiply-adds", "The same where little is done but to multiply, so that power limits the clock.">;
def lightIntensity : Constant<"double", "multiply-adds / element", "Up to this intensity, of operands and results, a product reaches wgmmaReached.">;
def loadedIntensity : Constant<"double", "multiply-adds / element", "From this intensity on it reaches loadedReached, in between what lies between.">;
def wgmmaL2Bytes : Constant<"double", "bytes / cycle", "Bandwidth of the L2 cache for TMA, for lines that a single multiprocessor requests. If several request a line at about the same time, it costs less: see sharedLines() in WgmmaCosts.cpp.">;
def arrivingBytes : Constant<"double", "bytes / cycle / multiprocessor", "Bandwidth into shared memory, including multicasts that other blocks of the cluster requested.">;
def brokenLines : Constant<"double", "requests / line", "For rows that are not aligned to lines of the L2 cache.">;
def memoryBytesOne : Constant<"double", "bytes / cycle / multiprocessor", "Memory bandwidth of one block if few are active.">;
def memoryBytesBase : Constant<"double", "bytes / cycle", "With memoryBytesEach: the memory bandwidth of some blocks. 40, 64 and 96 blocks get 31, 23 and 18 each.">;
def memoryBytesEach : Constant<"double", "bytes / cycle / multiprocessor", "The bandwidth that each additional block adds.">;
def kBlockStart : Constant<"double", "cycles / k-block", "The minimum time of a k-block is this, plus its bytes / kBlockBytes.">;
def kBlockBytes : Constant<"double", "bytes / cycle / multiprocessor", "See kBlockStart.">;
def leastColumns : Constant<"int64_t", "columns", "Instructions with fewer columns take as long as instructions with this many.">;
def clusterStart : Constant<"double", "cycles", "Initial synchronization of a cluster's blocks that share k-blocks.">;
def clusterWait : Constant<"double", "factor of time", "Such blocks wait for each other.">;
def pairWait : Constant<"double", "factor of time", "The same for two blocks along the rows if nothing else makes sharing worthwhile.">;
def rowExchangeCycles : Constant<"double", "cycles", "Exchange of one number for each row among the blocks of a cluster.">;
def rowKernelStart : Constant<"double", "cycles", "A kernel of rows behind a contraction, without its accesses to memory.">;
def wholeRowShare : Constant<"double", "1", "Of what the model expects of clusters that have whole rows, for a norm in the epilogue, what they take.">;
def splitStart : Constant<"double", "cycles", "With splitBytes: b bytes that a block sends in the split-K reduction take splitStart + b^2 / splitBytes, but b / splitRate where that is less.">;
def splitBytes : Constant<"double", "bytes^2 / cycle", "See splitStart.">;
def splitRate : Constant<"double", "bytes / cycle", "See splitStart.">;
def sharedRowWait : Constant<"double", "1", "Of the main loop, where blocks beside each other share 64 rows of A and B is contiguous along N.">;
def brokenSectorCycles : Constant<"double", "cycles", "Of a copied row that is shorter than a line of the L2 cache and begins within a sector.">;
def longSplitWait : Constant<"double", "1", "Of the main loop where K is split and long, of tiles of 64 rows, and of all where rows begin within lines of the L2 cache.">;
def longSplitK : Constant<"int64_t", "elements", "From this K on, longSplitWait counts.">;
def flagCycles : Constant<"double", "cycles", "Stream-K: a wait for another block's partial sums.">;
def streamApart : Constant<"double", "factor of time", "Stream-K: blocks are at different positions along K, and share no reads. Not for swapAB.">;
def sumBytes : Constant<"double", "bytes / cycle / multiprocessor", "Stream-K: writing partial sums to global memory, or reading them.">;
def boxElements : Constant<"double", "elements / cycle / multiprocessor", "Throughput of TMA stores.">;
def pieceStart : Constant<"double", "elements / row of a tile", "For results whose stores are memory-bound: the additional cost of each row of a tile.">;
def pingPongElements : Constant<"double", "elements / cycle / multiprocessor", "The same for one of two consumers in ping-pong.">;
def tileStart : Constant<"double", "cycles / tile", "From the end of a block's tile to the start of its next one.">;
def threadElements : Constant<"double", "elements / cycle / multiprocessor", "Throughput of stores by threads.">;
def swapABWait : Constant<"double", "times as long", "The time of tiles with swapAB that cut more rows than few evenly, or whose results TMA stores.">;
def swapABCutWait : Constant<"double", "times as long", "The same with stream-K, or with split-K where B lies along N.">;
def swapABElements : Constant<"double", "elements / cycle / multiprocessor", "Throughput of what such tiles do more than others for their results where threads store them.">;
def rowElements : Constant<"double", "elements / cycle / multiprocessor", "Throughput of results that warps store row by row, for rows that are not a multiple of 16 bytes: it is limited by the L2 cache, whatever multiplies meanwhile.">;
def rowStart : Constant<"double", "elements / row of a tile", "The additional cost of each row's first and last store.">;
def sectorElements : Constant<"double", "elements / cycle / multiprocessor", "Throughput of results that warps store in whole sectors, in tiles that overlap.">;
def windowStart : Constant<"double", "elements / row of a window", "The additional cost of each window of 128 columns there, and again if rows are odd.">;
def windowSource : Constant<"double", "times as long", "The time of such stores where the epilogue also reads a tensor like the result.">;
def missedTwice : Constant<"double", "share of bytes", "For a left operand that two blocks read at about the same time, one for each half of the columns: the share that memory delivers twice.">;
def threadSources : Constant<"double", "elements / cycle / multiprocessor", "Throughput of stores by threads that also read an element of a residual for each result.">;
def epilogueOperations : Constant<"double", "operations / cycle / multiprocessor", "Throughput of an epilogue's element-wise operations.">;
def prologueWait : Constant<"double", "cycles / k-block", "Cycles that tensor cores wait for a single consumer with a prologue.">;
def fewRowsElements : Constant<"int64_t", "elements", "For four to eight rows of 16 bits and a matrix that is contiguous along K: minimum elements of the matrix for which tensor cores are faster than CUDA cores.">;
def fewRowsColumns : Constant<"int64_t", "columns", "And minimum number of its columns, over all batches.">;
def fewRowsProducts : Constant<"int64_t", "multiply-adds", "The same for a matrix that is contiguous along its columns, and one to eight rows.">;
def attentionKeys : Constant<"int64_t", "keys / block of keys", "The cost of a block of keys in addition to its products: barriers, and rescaling the accumulators.">;
def attentionTile : Constant<"double", "blocks of keys / tile", "The cost of a tile in addition to its blocks of keys: its first scores and its results, which overlap with nothing.">;
def attentionScores : Constant<"double", "scores / cycle / multiprocessor", "Throughput of maxima, exponentials and sums of scores.">;
def attentionExposed : Constant<"int64_t[8]", "percent", "The share of the shorter of a block's products and the work on its scores that the longer does not hide: with 1, 2 and 3 consumers.">;
def attentionPartialRow : Constant<"double", "cycles", "TMA: a key or a value whose row is some whole boxes and a part of one.">;
def attentionBlockStart : Constant<"double", "cycles / block of keys", "Barriers, and instructions that depend on each other.">;
def keptBytes : Constant<"int64_t", "bytes", "Keys and values that stay in the L2 cache (50 MB) while queries and results pass through it.">;
}

#endif // TRIPY_BASE_MACHINECONSTANTS_TD
