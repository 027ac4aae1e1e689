//===- HoistDivisionsTest.cpp - Divisions in conditional blocks -----------===//

#include "../../lib/Target/HoistDivisions.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace {

/// A loop whose block %part runs under a condition; `body` computes %value.
std::string loopWith(const std::string &body) {
  return R"(
define void @f(ptr %in, ptr %out, i64 %n, i64 %m, i64 %end) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %join ]
  %off = icmp ult i64 %i, %n
  br i1 %off, label %join, label %part
part:
)" + body +
         R"(
  br label %join
join:
  %result = phi i64 [ 3, %loop ], [ %value, %part ]
  %place = getelementptr i64, ptr %out, i64 %i
  store i64 %result, ptr %place
  %next = add nuw i64 %i, 1
  %done = icmp eq i64 %next, %end
  br i1 %done, label %exit, label %loop
exit:
  ret void
}
)";
}

class HoistDivisions : public ::testing::Test {
protected:
  /// The blocks of the divisions after the pass, in order.
  std::vector<std::string> placesAfter(const std::string &body) {
    SMDiagnostic error;
    module = parseAssemblyString(loopWith(body), error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    if (!module)
      return {};
    PassBuilder builder;
    FunctionAnalysisManager analyses;
    builder.registerFunctionAnalyses(analyses);
    LoopAnalysisManager loops;
    CGSCCAnalysisManager callGraph;
    ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(callGraph);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, analyses, callGraph, modules);
    Function &function = *module->getFunction("f");
    tripy::target::HoistDivisionsPass().run(function, analyses);
    EXPECT_FALSE(verifyFunction(function, &errs()));
    std::vector<std::string> places;
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (instruction.isIntDivRem())
          places.push_back(block.getName().str());
    return places;
  }

  /// The only division.
  Instruction &division() {
    for (BasicBlock &block : *module->getFunction("f"))
      for (Instruction &instruction : block)
        if (instruction.isIntDivRem())
          return instruction;
    llvm_unreachable("there is a division");
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
};

using Places = std::vector<std::string>;

TEST_F(HoistDivisions, MovesWhatTheyNeed) {
  EXPECT_EQ(placesAfter(R"(
    %row = udiv i64 %i, %n
    %before = sub i64 %row, 1
    %column = urem i64 %before, %m
    %at = getelementptr i64, ptr %in, i64 %column
    %value = load i64, ptr %at)"),
            (Places{"loop", "loop"}));
  // The load stays where it was.
  for (BasicBlock &block : *module->getFunction("f"))
    for (Instruction &instruction : block)
      if (isa<LoadInst>(instruction))
        EXPECT_EQ(block.getName(), "part");
}

TEST_F(HoistDivisions, ADivisorIsNeverZero) {
  EXPECT_EQ(placesAfter("%value = udiv i64 %i, %m"), Places{"loop"});
  auto *divisor = dyn_cast<IntrinsicInst>(division().getOperand(1));
  ASSERT_TRUE(divisor);
  EXPECT_EQ(divisor->getIntrinsicID(), Intrinsic::umax);
}

TEST_F(HoistDivisions, ASignedQuotientNeverOverflows) {
  EXPECT_EQ(placesAfter("%value = sdiv i64 %i, %m"), Places{"loop"});
  EXPECT_TRUE(isa<SelectInst>(division().getOperand(1)));
}

TEST_F(HoistDivisions, ConstantDivisorsStayAsTheyAre) {
  EXPECT_EQ(placesAfter("%value = udiv i64 %i, 7"), Places{"loop"});
  EXPECT_TRUE(isa<ConstantInt>(division().getOperand(1)));
}

TEST_F(HoistDivisions, WhatDependsOnMemoryIsFrozen) {
  EXPECT_EQ(placesAfter(R"(
    %at = getelementptr i64, ptr %in, i64 %i
    %loaded = load i64, ptr %at
    %value = udiv i64 %loaded, %n)"),
            Places{"part"});
  EXPECT_TRUE(division().hasOneUse());
  EXPECT_TRUE(isa<FreezeInst>(*division().user_begin()));
}

} // namespace
