//===- ProvenanceTest.cpp - Locations, and what breaks --verify-provenance ===//

#include "tripy/Dialect/Tripy/Provenance.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Pipelines/InitAll.h"
#include "tripy/Pipelines/Provenance.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tripy;

namespace {

constexpr char program[] = R"mlir(
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = flatir.exp %a : tensor<2xf32> loc("user.cpp":3:5)
  return %0 : tensor<2xf32>
}
)mlir";

/// Inserts flatir.neg before flatir.exp, at a location of the test's choice.
struct InsertPass : PassWrapper<InsertPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InsertPass)
  using Place = std::function<Location(Location)>;
  explicit InsertPass(Place place) : place(std::move(place)) {}
  StringRef getArgument() const override { return "test-insert"; }
  void runOnOperation() override {
    getOperation().walk([&](flatir::ExpOp op) {
      OpBuilder b(op);
      Value negated =
          flatir::NegOp::create(b, place(op.getLoc()), op.getInput());
      op.getInputMutable().assign(negated);
    });
  }
  Place place;
};

class Provenance : public testing::Test {
protected:
  Provenance() {
    DialectRegistry registry;
    registerTripyDialects(registry);
    registry.insert<func::FuncDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  Location at(unsigned line) {
    return FileLineColLoc::get(&context, "user.cpp", line, 5);
  }
  /// Runs InsertPass with the verifier and returns the errors.
  std::string run(InsertPass::Place place) {
    std::string errors;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      errors += diagnostic.str() + "\n";
    });
    auto module = parseSourceString<ModuleOp>(program, &context);
    PassManager pm(&context);
    std::atomic<bool> broken = false;
    verifyProvenance(pm, broken);
    pm.addPass(std::make_unique<InsertPass>(std::move(place)));
    EXPECT_TRUE(succeeded(pm.run(*module)));
    EXPECT_EQ(broken, !errors.empty());
    return errors;
  }
  MLIRContext context;
};

TEST_F(Provenance, InsertedWithReason) {
  EXPECT_EQ(run([](Location user) {
              return inserted(user, {"negate", "negate the operand", 0});
            }),
            "");
}

TEST_F(Provenance, InsertedWithoutReason) {
  EXPECT_EQ(run([](Location user) { return user; }),
            "an inserted operation says why; after 'test-insert' more "
            "operations than results carry the location of the user's "
            "operation without a reason, and this is one\n");
}

TEST_F(Provenance, NewLocationWithoutReason) {
  EXPECT_EQ(run([&](Location user) {
              return NameLoc::get(StringAttr::get(&context, "x"), user);
            }),
            "a pass takes locations from the operations that it replaces; "
            "'test-insert' made up this one\n");
  EXPECT_EQ(run([&](Location user) {
              return FusedLoc::get(&context, {user},
                                   StringAttr::get(&context, "no reason"));
            }),
            "an inserted operation says why; after 'test-insert' this one does "
            "not\n");
}

TEST_F(Provenance, MadeUpLocation) {
  EXPECT_EQ(run([&](Location) {
              return inserted(at(99), {"negate", "negate the operand"});
            }),
            "a pass takes locations from the operations that it replaces; "
            "'test-insert' made up this one\n");
}

TEST_F(Provenance, UnknownLocation) {
  EXPECT_EQ(run([&](Location) { return UnknownLoc::get(&context); }),
            "every operation has the location of a user's line; after "
            "'test-insert' this one has none\n");
}

TEST_F(Provenance, FuseDropsDuplicatesAndFlattens) {
  Location one = at(1), two = at(2), three = at(3);
  EXPECT_EQ(fuseLocations({one, one}), one);
  Location pair = fuseLocations({one, two});
  EXPECT_EQ(fuseLocations({pair, three, two}),
            FusedLoc::get(&context, {one, two, three}));
  // What has a reason stays one part.
  Location why = inserted(one, {"r", "test"});
  EXPECT_EQ(cast<FusedLoc>(fuseLocations({why, two})).getLocations().size(),
            2u);
}

TEST_F(Provenance, ReadsThroughAllWrappers) {
  auto name = [&](StringRef text, Location child) -> Location {
    return NameLoc::get(StringAttr::get(&context, text), child);
  };
  Location call =
      CallSiteLoc::get(name("add()", name("c", at(5))), name("main()", at(11)));
  Location fused = fuseLocations(
      {inserted(call, {"r", "first"}), inserted(at(7), {"r", "second"})});

  SmallVector<UserPlace> stack = callStack(fused);
  ASSERT_EQ(stack.size(), 2u);
  EXPECT_EQ(stack[0].range.getStartLine(), 5u);
  EXPECT_EQ(stack[0].function, "add()");
  EXPECT_EQ(stack[1].range.getStartLine(), 11u);
  EXPECT_EQ(stack[1].function, "main()");

  SmallVector<UserPlace> places = userPlaces(fused);
  ASSERT_EQ(places.size(), 2u);
  EXPECT_EQ(places[1].range.getStartLine(), 7u);

  SmallVector<WhyAttr> whys = whysOf(fused);
  ASSERT_EQ(whys.size(), 2u);
  EXPECT_EQ(whys[0].getReason(), "first");
  EXPECT_EQ(whys[1].getReason(), "second");
}

/// Locations are shared: one may be reached in exponentially many ways.
TEST_F(Provenance, DeepSharingIsFast) {
  Location location = at(1);
  for (unsigned i = 0; i < 200; ++i)
    location = FusedLoc::get(
        &context, {inserted(location, {"left", std::to_string(i)}),
                   inserted(location, {"right", std::to_string(i)})});
  EXPECT_EQ(whysOf(location).size(), 400u);
  EXPECT_EQ(userPlaces(location).size(), 1u);
}

} // namespace
