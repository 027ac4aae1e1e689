//===- PtxTestUtil.h - Kernels in PTX for the units -------------*- C++ -*-===//
//
// Kernels as text, put together from lines, and their launch.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_EMULATOR_PTXTESTUTIL_H
#define TRIPY_UNITTESTS_EMULATOR_PTXTESTUTIL_H

#include "UnitsTestUtil.h"

#include "../../interpreter/Emulator.h"
#include "tripy/Base/Text.h"

namespace tripy::emulator {

/// A kernel "main" of `maps` tensor maps and `pointers` pointers. %tid.x is in
/// %r0, the address of shared memory in %r1; map i is at %map<i>, pointer i is
/// %ptr<i>.
class TestKernel {
public:
  TestKernel(uint32_t maps, uint32_t pointers, uint32_t threads) {
    std::string parameters;
    for (uint32_t i = 0; i < maps + pointers; ++i)
      parameters +=
          concat(i ? ",\n" : "",
                 i < maps ? "\t.param .align 64 .b8 main_param_"
                          : "\t.param .u64 .ptr .global .align 16 main_param_",
                 i, i < maps ? "[128]" : "");
    head =
        concat(".version 8.4\n.target sm_90a\n.address_size 64\n\n",
               ".extern .shared .align 1024 .b8 main_shared[];\n\n",
               ".visible .entry main(\n", parameters, "\n)\n.maxntid ", threads,
               ", 1, 1\n{\n", "\t.reg .pred %p<8>;\n\t.reg .b32 %r<256>;\n",
               "\t.reg .b64 %rd<32>, %map<8>, %ptr<8>;\n");
    line("mov.u32 %r0, %tid.x;");
    line("mov.b64 %rd0, main_shared;");
    line("cvt.u32.u64 %r1, %rd0;");
    for (uint32_t i = 0; i < maps; ++i) {
      line("mov.b64 %rd0, main_param_", i, ";");
      line("cvta.param.u64 %map", i, ", %rd0;");
    }
    for (uint32_t i = 0; i < pointers; ++i)
      line("ld.param.b64 %ptr", i, ", [main_param_", maps + i, "];");
  }

  template <typename... Parts> void line(const Parts &...parts) {
    body += concat("\t", parts..., "\n");
  }
  /// Thread 0 makes the barrier at `offset` of shared memory, of one arrival
  /// that expects `bytes`; lines up to threadsJoin() are its alone.
  void firstThread(uint32_t offset, uint32_t bytes) {
    line("setp.ne.b32 %p1, %r0, 0;");
    line("@%p1 bra $L__joined;");
    line("add.s32 %r2, %r1, ", offset, ";");
    line("mov.b32 %r3, 1;");
    line("mbarrier.init.shared.b64 [%r2], %r3;");
    line("fence.mbarrier_init.release.cluster;");
    line("mov.b32 %r3, ", bytes, ";");
    line("mbarrier.arrive.expect_tx.shared.b64 %rd1, [%r2], %r3;");
  }
  /// The box at (column, row) of map `map` to `offset` of shared memory.
  void load(uint32_t map, uint32_t offset, int32_t column, int32_t row) {
    line("add.s32 %r4, %r1, ", offset, ";");
    line("mov.b32 %r5, ", column, ";");
    line("mov.b32 %r6, ", row, ";");
    line("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
         "complete_tx::bytes [%r4], [%map",
         map, ", {%r5, %r6}], [%r2];");
  }
  void threadsJoin() {
    body += "$L__joined:\n";
    line("bar.sync 0;");
  }
  /// Waits for phase 0 of the barrier at `offset`.
  void wait(uint32_t offset) {
    line("add.s32 %r2, %r1, ", offset, ";");
    line("mov.b32 %r3, 0;");
    body += "$L__wait:\n";
    line("mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], %r3;");
    line("@!%p2 bra $L__wait;");
  }
  /// Stores register `name` of all threads to pointer `pointer`, as row
  /// `number` of an array of `threads` words.
  void storeWord(uint32_t pointer, std::string_view name, uint32_t number,
                 uint32_t threads) {
    line("mul.wide.u32 %rd2, %r0, 4;");
    line("add.s64 %rd2, %ptr", pointer, ", %rd2;");
    line("st.global.b32 [%rd2+", number * threads * 4, "], ", name, ";");
  }
  void loadWord(uint32_t pointer, std::string_view name, uint32_t number,
                uint32_t threads) {
    line("mul.wide.u32 %rd2, %r0, 4;");
    line("add.s64 %rd2, %ptr", pointer, ", %rd2;");
    line("ld.global.b32 ", name, ", [%rd2+", number * threads * 4, "];");
  }

  std::string text() const { return head + body + "\tret;\n}\n"; }

private:
  std::string head, body;
};

/// Device memory with the arguments of a kernel "main".
class TestRun {
public:
  /// A new allocation with these bytes as pointer argument.
  uint64_t pointer(const std::vector<uint8_t> &bytes) {
    uint64_t address = allocate(bytes);
    append(&address, 8, 8);
    return address;
  }
  /// A tensor map of a dense [rows][columns] array.
  uint64_t map(const std::vector<uint8_t> &bytes, TensorType type,
               uint32_t rows, uint32_t columns, uint32_t boxRows,
               uint32_t boxColumns, int swizzle) {
    uint64_t address = allocate(bytes);
    TensorMapValue value;
    EXPECT_OK(encodeMatrix(address, type, rows, columns, boxRows, boxColumns,
                           swizzle, value));
    append(value.bytes.data(), value.bytes.size(), 64);
    return address;
  }

  Status run(const TestKernel &kernel, uint32_t threads, uint32_t sharedBytes,
             uint32_t cluster = 1) {
    Result<std::unique_ptr<Module>> module =
        Module::parse(kernel.text(), memory);
    if (!module)
      return module.status();
    const Function *function = (*module)->find("main");
    if (!function)
      return fault("no kernel main");
    LaunchShape shape;
    shape.grid = {cluster, 1, 1};
    shape.block = {threads, 1, 1};
    shape.cluster = {cluster, 1, 1};
    shape.sharedBytes = sharedBytes;
    return launch(*function, shape, parameters, memory, options);
  }

  std::vector<uint8_t> bytesAt(uint64_t address, uint64_t count) const {
    auto *data = reinterpret_cast<const uint8_t *>(address);
    return std::vector<uint8_t>(data, data + count);
  }

  LaunchOptions options;
  Memory memory;

private:
  uint64_t allocate(const std::vector<uint8_t> &bytes) {
    Result<uint64_t> address = memory.allocate(bytes.size());
    EXPECT_TRUE(address);
    std::memcpy(reinterpret_cast<void *>(*address), bytes.data(), bytes.size());
    return *address;
  }
  void append(const void *data, size_t bytes, size_t alignment) {
    size_t at = (parameters.size() + alignment - 1) / alignment * alignment;
    parameters.resize(at + bytes);
    std::memcpy(parameters.data() + at, data, bytes);
  }

  std::vector<uint8_t> parameters;
};

} // namespace tripy::emulator

#endif // TRIPY_UNITTESTS_EMULATOR_PTXTESTUTIL_H
