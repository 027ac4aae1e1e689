//===- VerifyProductTest.cpp - Rules of products for libraries ------------===//

#include "VerifyCases.h"

using namespace tripy;
using namespace tripy::samples;

namespace {

class VerifyProduct : public testing::TestWithParam<VerifyCase> {};

MatrixProduct &product(Sample &sample) { return sample.program.products[0]; }
Launch &launch(Sample &sample) { return sample.program.launches[0]; }

const VerifyCase cases[] = {
    {"type of operands", [](Sample &s) { product(s).operandType = DType::I32; },
     "product 0: no product has operands of type 4 and a result of type 1"},
    {"type unknown", [](Sample &s) { product(s).operandType = DType(0); },
     "product 0: no product has operands of type 0"},
    {"type of the result",
     [](Sample &s) { product(s).resultType = DType::F16; },
     "product 0: no product has operands of type 1 and a result of type 2"},
    {"tf32 of f16", [](Sample &s) { product(s).operandType = DType::F16; },
     "product 0: TF32 is for operands of f32"},
    {"size zero", [](Sample &s) { product(s).k = 0; },
     "product 0: sizes must be 1 to 2147483647, but one is 0"},
    {"size negative", [](Sample &s) { product(s).batch = -2; },
     "product 0: sizes must be 1 to 2147483647, but one is -2"},
    {"size large", [](Sample &s) { product(s).m = int64_t(1) << 31; },
     "product 0: sizes must be 1 to 2147483647, but one is 2147483648"},
    {"sizes that overflow",
     [](Sample &s) {
       product(s).batch = product(s).m = product(s).k = 0x7fffffff;
     },
     "launch 0: the product's A has 18446744073709551615 bytes"},
    {"unused product",
     [](Sample &s) {
       s.program.products.push_back(product(s));
       s.program.products[1].n = 0;
     },
     "product 1: sizes must be"},
    {"no such product", [](Sample &s) { launch(s).product = 1; },
     "launch 0: the product must be one of 1, but is 1"},
    {"A is a size", [](Sample &s) { product(s).a = 0; },
     "launch 0: the product's A must be a buffer among its 5 arguments, but is "
     "argument 0"},
    {"B is no argument", [](Sample &s) { product(s).b = 5; },
     "launch 0: the product's B must be a buffer among its 5 arguments, but is "
     "argument 5"},
    {"no result", [](Sample &s) { product(s).result = noIndex; },
     "launch 0: the product's result must be a buffer"},
    {"bias is far out", [](Sample &s) { product(s).bias = noIndex - 1; },
     "launch 0: the product's bias must be a buffer"},
    {"A is written", [](Sample &s) { product(s).a = 4; },
     "launch 0: the product's A must be read and not written"},
    {"result is read", [](Sample &s) { product(s).result = 1; },
     "launch 0: the product's result must be written and not read"},
    {"result is read as well",
     [](Sample &s) { launch(s).accesses[3].reads = true; },
     "launch 0: the product's result must be written and not read"},
    {"more rows", [](Sample &s) { ++product(s).m; },
     "launch 0: the product's A has 160 bytes, but the launch touches 120 to "
     "120"},
    {"more columns", [](Sample &s) { ++product(s).n; },
     "launch 0: the product's B has 320 bytes, but the launch touches 280 to "
     "280"},
    {"fewer bytes of the result",
     [](Sample &s) { launch(s).accesses[3].bytes = s.constant(164); },
     "launch 0: the product's result has 168 bytes, but the launch touches 164 "
     "to 164"},
    {"bias of another size", [](Sample &s) { product(s).bias = 2; },
     "launch 0: the product's bias has 28 bytes, but the launch touches 280 to "
     "280"},
};

TEST_P(VerifyProduct, IsRefused) {
  expectRefused(*productSample(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Products, VerifyProduct, testing::ValuesIn(cases),
                         verifyCaseName);

TEST(VerifyProducts, AreForCUDA) {
  auto sample = cpuSample();
  sample->program.products = productSample()->program.products;
  Status status = verifyProgram(sample->program);
  EXPECT_NE(status.message().find("a program for the CPU has no products"),
            std::string::npos)
      << status.message();
}

TEST(VerifyProducts, HaveALimit) {
  ProgramLimits limits;
  limits.tensors = 4;
  auto sample = productSample();
  sample->program.products.assign(5, product(*sample));
  Status status = verifyProgram(sample->program, limits);
  EXPECT_EQ(status.code(), Code::LimitExceeded);
  EXPECT_NE(status.message().find("products"), std::string::npos)
      << status.message();
}

/// What the sizes of a run decide, a library is not told.
TEST(VerifyProducts, HaveStaticSizes) {
  auto sample = productSample();
  Program &program = sample->program;
  program.symbols = {{0, 0, 1, 2, 2, ""}};
  TableIndex batch = sample->symbol(0);
  program.inputs[0].dims[0] = batch;
  launch(*sample).accesses[0].bytes =
      sample->binary(SizeOp::Mul, batch, sample->constant(60));
  Status status = verifyProgram(program);
  EXPECT_NE(status.message().find("the product's A has 120 bytes, but the "
                                  "launch touches 60 to 120"),
            std::string::npos)
      << status.message();
}

/// The kernel may write more than a product has.
TEST(VerifyProducts, AreAllThatIsWritten) {
  auto sample = productSample();
  Program &program = sample->program;
  program.outputs.push_back(program.outputs[0]);
  program.outputs[1].name = "z";
  program.buffers.push_back({BufferKind::Output, 1, 0, 0});
  program.kernels[0].params.push_back(uint8_t(ArgKind::Buffer));
  launch(*sample).args.push_back({ArgKind::Buffer, 4});
  launch(*sample).accesses.push_back(launch(*sample).accesses[3]);
  Status status = verifyProgram(program);
  EXPECT_NE(status.message().find(
                "launch 0: writes buffer 4, which its product does not"),
            std::string::npos)
      << status.message();
  launch(*sample).product = noIndex;
  EXPECT_TRUE(verifyProgram(program).isOk());
}

} // namespace
