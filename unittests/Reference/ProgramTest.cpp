//===- ProgramTest.cpp - Programs, inputs, conditions, limits -------------===//

#include "Harness.h"

using namespace tripy;
using namespace tripy::reference;

using ProgramTest = ReferenceTest;

TEST_F(ProgramTest, CompositesAreTheirRegions) {
  const char *text = R"(
    func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<?xf32>) {
      %n = arith.constant 3 : index
      %r:2 = flatir.composite "outer" (%x, %n) {} : (tensor<2xf32>, index) -> (tensor<2xf32>, tensor<?xf32>) {
      ^bb0(%a: tensor<2xf32>, %m: index):
        %s = flatir.composite "inner" (%a) {} : (tensor<2xf32>) -> tensor<2xf32> {
        ^bb0(%b: tensor<2xf32>):
          %t = flatir.mul %b, %b : tensor<2xf32>
          flatir.yield %t : tensor<2xf32>
        }
        %u = flatir.add %s, %a : tensor<2xf32>
        %v = flatir.iota dim = 0 sizes(%m) : tensor<?xf32>
        flatir.yield %u, %v : tensor<2xf32>, tensor<?xf32>
      }
      func.return %r#0, %r#1 : tensor<2xf32>, tensor<?xf32>
    })";
  auto r = run(text, {make(DType::F32, {2}, {3, -4})});
  ASSERT_EQ(r.size(), 2u) << errors;
  expectTensor(r[0], DType::F32, {2}, {12, 12});
  expectTensor(r[1], DType::F32, {3}, {0, 1, 2});
}

TEST_F(ProgramTest, DeepNestingIsNoRecursion) {
  // Built, not parsed: the parser has limits of its own.
  mlir::OpBuilder b(&context);
  mlir::Location loc = b.getUnknownLoc();
  auto type = mlir::RankedTensorType::get({1}, b.getF32Type());
  mlir::OwningOpRef<mlir::ModuleOp> nest = mlir::ModuleOp::create(loc);
  b.setInsertionPointToStart(nest->getBody());
  auto function = mlir::func::FuncOp::create(b, loc, "main",
                                             b.getFunctionType({type}, {type}));
  mlir::Block *block = function.addEntryBlock();
  b.setInsertionPointToStart(block);
  llvm::SmallVector<flatir::CompositeOp> composites;
  constexpr int depth = 20000;
  for (int i = 0; i < depth; ++i) {
    auto composite = flatir::CompositeOp::create(
        b, loc, mlir::TypeRange(type), mlir::ValueRange(block->getArgument(0)),
        b.getStringAttr("nest"), b.getDictionaryAttr({}));
    composites.push_back(composite);
    block = b.createBlock(&composite.getBody(), {}, {type}, {loc});
  }
  auto negated = flatir::NegOp::create(b, loc, type, block->getArgument(0));
  flatir::YieldOp::create(b, loc, negated.getResult());
  for (int i = depth - 1; i >= 0; --i) {
    b.setInsertionPointAfter(composites[i]);
    if (i)
      flatir::YieldOp::create(b, loc, composites[i].getResults());
    else
      mlir::func::ReturnOp::create(b, loc, composites[i].getResults());
  }
  auto r = evaluate(function, {make(DType::F32, {1}, {5})});
  ASSERT_TRUE(mlir::succeeded(r)) << errors;
  expectTensor((*r)[0], DType::F32, {1}, {-5});
  // Destroying it recurses, in MLIR: take it apart from within.
  for (flatir::CompositeOp composite : llvm::reverse(composites)) {
    composite->dropAllUses();
    composite->erase();
  }
}

TEST_F(ProgramTest, InputsAreChecked) {
  const char *text = R"(
    func.func @main(
        %x: tensor<?x2xf32> {tripy.name = "x", tripy.dims = ["batch", ""],
          tripy.profile = #tripy.profile<min = [1, 2], opt = [2, 2], max = [4, 2]>},
        %y: tensor<?xi32> {tripy.dims = ["batch"],
          tripy.profile = #tripy.profile<min = [1], opt = [2], max = [8]>})
        -> tensor<?x2xf32> {
      func.return %x : tensor<?x2xf32>
    })";
  auto x = [](int64_t n, int64_t m) {
    return make(DType::F32, {n, m}, std::vector<double>(n * m));
  };
  auto y = [](int64_t n) {
    return make(DType::I32, {n}, std::vector<double>(n));
  };
  EXPECT_EQ(run(text, {x(4, 2), y(4)}).size(), 1u) << errors;
  auto expectError = [&](llvm::ArrayRef<Tensor> inputs, const char *message) {
    EXPECT_TRUE(run(text, inputs).empty());
    EXPECT_EQ(errors, std::string(message) + "\n");
  };
  expectError({x(1, 2)}, "the program has 2 inputs; found 1");
  expectError({y(1), y(1)}, "input 'x' is float32; found int32");
  expectError({x(1, 2), make(DType::I32, {}, {1})},
              "input 'arg1' has rank 1; found 0");
  expectError({x(1, 3), y(1)}, "input 'x' dimension 1 is 2; found 3");
  expectError({x(5, 2), y(5)},
              "input 'x' dimension 0 is in the range 1 to 4; found 5");
  expectError({x(0, 2), y(1)},
              "input 'x' dimension 0 is in the range 1 to 4; found 0");
  expectError({x(3, 2), y(4)}, "dimensions named 'batch' are equal; found 3 "
                               "and, of input 'arg1', 4");
}

TEST_F(ProgramTest, RequireSaysItsRule) {
  auto text = [](const char *kind) {
    return std::string(R"(
    func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %n = flatir.dim %x, 0 : tensor<?xf32>
      %m = flatir.dim %y, 0 : tensor<?xf32>
      flatir.require ")") +
           kind + R"(" %n, %m "the sizes fit"
      func.return %x : tensor<?xf32>
    })";
  };
  auto holds = [&](const char *kind, int64_t n, int64_t m) {
    return !run(text(kind), {make(DType::F32, {n}, std::vector<double>(n)),
                             make(DType::F32, {m}, std::vector<double>(m))})
                .empty();
  };
  EXPECT_TRUE(holds("equal", 3, 3));
  EXPECT_FALSE(holds("equal", 1, 3));
  EXPECT_EQ(errors, "the sizes fit; found 1 and 3\n");
  EXPECT_TRUE(holds("broadcastable", 1, 3));
  EXPECT_TRUE(holds("broadcastable", 3, 1));
  EXPECT_FALSE(holds("broadcastable", 2, 3));
  EXPECT_TRUE(holds("at_most", 2, 3));
  EXPECT_TRUE(holds("at_most", 3, 3));
  EXPECT_FALSE(holds("at_most", 4, 3));
}

TEST_F(ProgramTest, DisagreeingSizesAreErrors) {
  const char *text = R"(
    func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %r = flatir.add %x, %y : tensor<?xf32>
      func.return %r : tensor<?xf32>
    })";
  EXPECT_TRUE(
      run(text, {make(DType::F32, {2}, {1, 2}), make(DType::F32, {1}, {1})})
          .empty());
  EXPECT_EQ(errors, "operands have equal shapes; they differ\n");
}

TEST_F(ProgramTest, ArithmeticOnSizesDoesNotWrap) {
  auto text = [](const char *op, const char *rhs) {
    return std::string("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> "
                       "{\n  %a = arith.constant 9223372036854775807 : index\n"
                       "  %b = arith.constant ") +
           rhs + " : index\n  %n = arith." + op +
           " %a, %b : index\n"
           "  %r = flatir.broadcast %x dims = [0] sizes(%n) : tensor<?xf32> -> "
           "tensor<?xf32>\n  func.return %r : tensor<?xf32>\n}";
  };
  Tensor x = make(DType::F32, {1}, {1});
  const char *quotient = "a size must be divided by another number than 0, and "
                         "the quotient must fit 64 bits";
  for (auto [op, rhs, rule] :
       {std::tuple("addi", "1", "the sum of two sizes must fit 64 bits"),
        {"muli", "2", "the product of two sizes must fit 64 bits"},
        {"subi", "-1", "the difference of two sizes must fit 64 bits"},
        {"divsi", "0", quotient},
        {"floordivsi", "0", quotient},
        {"ceildivsi", "0", quotient},
        {"remsi", "0",
         "the remainder of a size must be that of a division by another number "
         "than 0"},
        {"divui", "0", quotient}}) {
    EXPECT_TRUE(run(text(op, rhs), {x}).empty()) << op;
    EXPECT_EQ(errors, std::string(rule) + "; found 9223372036854775807 and " +
                          rhs + "\n");
  }
  EXPECT_TRUE(run(text("divui", "-3"), {x}).empty());
  EXPECT_EQ(errors, "operands of unsigned arithmetic on sizes must not be "
                    "negative; found -3\n");
  EXPECT_TRUE(run(text("minsi", "-3"), {x}).empty());
  EXPECT_EQ(errors, "sizes are not negative; found (-3,)\n");
}

TEST_F(ProgramTest, MemoryIsBounded) {
  const char *huge = R"(
    func.func @main(%x: tensor<f32>) -> tensor<1048576x1048576xf32> {
      %r = flatir.broadcast %x dims = [] sizes() : tensor<f32> -> tensor<1048576x1048576xf32>
      func.return %r : tensor<1048576x1048576xf32>
    })";
  EXPECT_TRUE(run(huge, {make(DType::F32, {}, {1})}).empty());
  EXPECT_NE(errors.find("take at most 4.0 GiB"), std::string::npos) << errors;
  const char *splat = R"(
    func.func @main() -> tensor<1048576x1048576xf32> {
      %r = flatir.constant dense<1.0> : tensor<1048576x1048576xf32>
      func.return %r : tensor<1048576x1048576xf32>
    })";
  EXPECT_TRUE(run(splat, {}).empty());
  // Dead tensors do not count: ten of 400 bytes fit 900.
  std::string chain = "func.func @main(%x0: tensor<100xf32>) -> "
                      "tensor<100xf32> {\n";
  for (int i = 0; i < 10; ++i)
    chain += "  %x" + std::to_string(i + 1) + " = flatir.neg %x" +
             std::to_string(i) + " : tensor<100xf32>\n";
  chain += "  func.return %x10 : tensor<100xf32>\n}";
  EvaluateOptions small;
  small.maxBytes = 900;
  Tensor x = make(DType::F32, {100}, std::vector<double>(100, 2));
  EXPECT_EQ(run(chain, {x}, small).size(), 1u) << errors;
  small.maxBytes = 700;
  EXPECT_TRUE(run(chain, {x}, small).empty());
}

TEST_F(ProgramTest, StepsAreBounded) {
  const char *text = R"(
    func.func @main(%x: tensor<100x100xf32>) -> tensor<100x100xf32> {
      %r = flatir.dot %x, %x batch = [] x [] contract = [1] x [0] : (tensor<100x100xf32>, tensor<100x100xf32>) -> tensor<100x100xf32>
      func.return %r : tensor<100x100xf32>
    })";
  Tensor x = make(DType::F32, {100, 100}, std::vector<double>(10000, 1));
  EvaluateOptions options;
  options.maxSteps = 1000000;
  EXPECT_EQ(run(text, {x}, options).size(), 1u) << errors;
  options.maxSteps = 999999;
  EXPECT_TRUE(run(text, {x}, options).empty());
  EXPECT_NE(errors.find("at most 999999 scalar operations"), std::string::npos);
}

TEST_F(ProgramTest, ForeignOperationsAreRefused) {
  const char *text = R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %r = arith.negf %x : tensor<2xf32>
      func.return %r : tensor<2xf32>
    })";
  EXPECT_TRUE(run(text, {make(DType::F32, {2}, {1, 2})}).empty());
  EXPECT_EQ(errors, "the reference evaluator knows flatir and arith on index; "
                    "found 'arith.negf'\n");
  context.allowUnregisteredDialects();
  const char *unknown = R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %r = "other.op"(%x) : (tensor<2xf32>) -> tensor<2xf32>
      func.return %r : tensor<2xf32>
    })";
  EXPECT_TRUE(run(unknown, {make(DType::F32, {2}, {1, 2})}).empty());
  EXPECT_TRUE(run("func.func private @main(tensor<2xf32>)",
                  {make(DType::F32, {2}, {1, 2})})
                  .empty());
}

TEST_F(ProgramTest, AttributesKeepSplats) {
  auto type =
      mlir::RankedTensorType::get({2, 2}, mlir::Float16Type::get(&context));
  auto splat = toAttribute(make(DType::F16, {2, 2}, {3, 3, 3, 3}), type);
  EXPECT_TRUE(splat.isSplat());
  auto dense = toAttribute(make(DType::F16, {2, 2}, {3, 3, 3, -3}), type);
  EXPECT_FALSE(dense.isSplat());
  expectTensor(*readConstant(dense), DType::F16, {2, 2}, {3, 3, 3, -3});
  auto bools =
      mlir::RankedTensorType::get({9}, mlir::IntegerType::get(&context, 1));
  std::vector<double> values{1, 0, 1, 1, 0, 0, 1, 0, 1};
  expectTensor(
      *readConstant(toAttribute(make(DType::Bool, {9}, values), bools)),
      DType::Bool, {9}, values);
}
