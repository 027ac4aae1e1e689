//===- MachineTest.cpp - What the environment asks of the emulator --------===//

#include "../../driver/Machine.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace tripy;
using namespace tripy::emulatordriver;

namespace {
class EmulatedMachine : public ::testing::Test {
protected:
  void TearDown() override {
    unsetenv("TRIPY_EMULATOR_ARCH");
    unsetenv("TRIPY_EMULATOR_OPTIONS");
  }
  Machine machine(const char *arch, const char *options = "") {
    setenv("TRIPY_EMULATOR_ARCH", arch, 1);
    setenv("TRIPY_EMULATOR_OPTIONS", options, 1);
    Result<Machine> made = Machine::fromEnvironment();
    EXPECT_TRUE(made) << made.status().message();
    return made ? *made : Machine();
  }
  std::string error(const char *arch, const char *options = "") {
    setenv("TRIPY_EMULATOR_ARCH", arch, 1);
    setenv("TRIPY_EMULATOR_OPTIONS", options, 1);
    Result<Machine> made = Machine::fromEnvironment();
    return made ? "" : made.status().message();
  }
};
} // namespace

TEST_F(EmulatedMachine, HasTheLimitsOfItsArchitecture) {
  struct Row {
    const char *arch;
    int major, minor, shared, clusters;
  };
  for (const Row &row :
       {Row{"80", 8, 0, 166912, 0}, Row{"86", 8, 6, 101376, 0},
        Row{"89", 8, 9, 101376, 0}, Row{"90", 9, 0, 232448, 1},
        Row{"100", 10, 0, 232448, 1}, Row{"103", 10, 3, 232448, 1},
        Row{"120", 12, 0, 101376, 1}}) {
    Machine m = machine(row.arch);
    EXPECT_EQ(m.attribute(75), row.major);
    EXPECT_EQ(m.attribute(76), row.minor);
    EXPECT_EQ(m.attribute(97), row.shared);
    EXPECT_EQ(m.attribute(120), row.clusters);
    EXPECT_EQ(m.launch.sharedLimit, static_cast<uint32_t>(row.shared));
    EXPECT_EQ(m.attribute(12), 65536) << "registers of a block";
    EXPECT_FALSE(m.attribute(0));
  }
}

TEST_F(EmulatedMachine, HasClustersOfItsArchitecture) {
  EXPECT_EQ(machine("90").architecture->largestCluster, 16);
  EXPECT_EQ(machine("100").architecture->largestCluster, 16);
  EXPECT_EQ(machine("120").architecture->largestCluster, 8);
}

TEST_F(EmulatedMachine, RunsThePtxThatAGpuWouldRun) {
  Machine hopper = machine("90"), ada = machine("89"), ampere = machine("80");
  EXPECT_TRUE(hopper.runs("sm_90a"));
  EXPECT_TRUE(hopper.runs("sm_90"));
  EXPECT_TRUE(hopper.runs("sm_80"));
  EXPECT_FALSE(hopper.runs("sm_100"));
  EXPECT_FALSE(ada.runs("sm_90a"));
  EXPECT_TRUE(ada.runs("sm_89"));
  EXPECT_FALSE(ampere.runs("sm_89"));
  EXPECT_FALSE(machine("100").runs("sm_90a")) << "9.0 alone";
  EXPECT_TRUE(machine("100").runs("sm_100f"));
  EXPECT_TRUE(machine("103").runs("sm_100f"));
  EXPECT_FALSE(machine("103").runs("sm_100a"));
  EXPECT_TRUE(machine("120").runs("sm_100"));
  EXPECT_FALSE(machine("120").runs("sm_100f")) << "another family";
  for (const char *text : {"", "sm_", "sm_a", "sm_9x", "compute_80", "90"})
    EXPECT_FALSE(hopper.runs(text)) << text;
}

TEST_F(EmulatedMachine, ReadsOptions) {
  Machine plain = machine("90");
  EXPECT_TRUE(plain.launch.checkRaces);
  EXPECT_TRUE(plain.launch.checkUninitialized);
  EXPECT_TRUE(plain.launch.lateAsync);
  EXPECT_TRUE(plain.overlap);
  Machine m = machine("90", "no-races,no-uninitialized,early-async,no-overlap,"
                            "statistics,budget=123");
  EXPECT_FALSE(m.launch.checkRaces);
  EXPECT_FALSE(m.launch.checkUninitialized);
  EXPECT_FALSE(m.launch.lateAsync);
  EXPECT_FALSE(m.overlap);
  EXPECT_TRUE(m.statistics);
  EXPECT_EQ(m.launch.instructionBudget, 123u);
}

TEST_F(EmulatedMachine, NamesWhatItDoesNotKnow) {
  EXPECT_EQ(error("70"), "TRIPY_EMULATOR_ARCH must be one of 80, 86, 89, 90, "
                         "100, 103, 120, but is '70'");
  EXPECT_NE(error("sm_90"), "");
  EXPECT_NE(error(""), "");
  EXPECT_EQ(error("90", "no-races,no-luck"),
            "TRIPY_EMULATOR_OPTIONS: unknown word 'no-luck'");
  EXPECT_NE(error("90", "budget=many"), "");
  EXPECT_NE(error("90", "budget="), "");
}
