//===- PluginTest.cpp - Kernels of the user's own -------------------------===//

#include "ThrownErrors.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace tp = tripy;

static constexpr int64_t any = tp::anyPluginSize;

/// r[i] = x[i] * factor + offset, one thread for each element.
static const char *const scalePtx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry scale_f32(.param .u64 x, .param .u64 r, .param .u32 n,
                          .param .f32 factor, .param .u64 offset)
{
  .reg .pred %p<2>;
  .reg .f32 %f<5>;
  .reg .b32 %r<6>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [r];
  ld.param.u32 %r1, [n];
  ld.param.f32 %f1, [factor];
  ld.param.u64 %rd8, [offset];
  cvt.rn.f32.s64 %f4, %rd8;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra done;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.u32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  ld.global.f32 %f2, [%rd6];
  fma.rn.f32 %f3, %f2, %f1, %f4;
  st.global.f32 [%rd7], %f3;
done:
  ret;
}
)";

static const std::vector<std::string> scaleArguments = {
    "operand 0", "result 0", "number 0 as i32", "parameter factor",
    "parameter offset"};

static tp::PluginSizes scaleSizes(const std::vector<tp::Shape> &operands) {
  tp::Size count = operands[0].volume();
  return {.results = {operands[0]},
          .grid = {(count + 255) / 256},
          .numbers = {count}};
}

/// A function of tests' library.
static tp::PluginSource function(const std::string &name) {
  return tp::PluginSource::cFunction(TRIPY_TEST_PLUGINS, name);
}

static tp::PluginDescription describeScale() {
  return {.name = "scale",
          .operands = {{tp::float32, {any, any}}},
          .results = {{tp::float32, {any, any}}},
          .sources = {tp::PluginSource::ptx(scalePtx, "scale_f32", 256,
                                            scaleArguments),
                      function("scale")},
          .sizes = scaleSizes,
          .parameters = {{"factor", tp::float32}, {"offset", tp::int64}}};
}

template <typename F> static std::string summaryOf(F call) {
  return errorOf(call).summary();
}
/// What the declaration is refused with.
static std::string refusal(const tp::PluginDescription &description) {
  return summaryOf([&] { tp::plugin(description); });
}

namespace {
/// Tests of what one kind of device does; the tests run on both.
struct PluginOnGpu : testing::Test {
  void SetUp() override {
    if (!tp::defaultDevice().isGpu())
      GTEST_SKIP() << "the default device is the CPU";
  }
};
struct PluginOnCpu : testing::Test {
  void SetUp() override {
    if (tp::defaultDevice().isGpu())
      GTEST_SKIP() << "the default device is a GPU";
  }
};
} // namespace

//===-- calls -------------------------------------------------------------===//

TEST(Plugin, ComputesLikeOtherOperations) {
  tp::Plugin scale = tp::plugin(describeScale());
  for (auto [rows, columns] : {std::pair(1, 1), {2, 3}, {17, 31}, {0, 3}}) {
    tp::Tensor x = tp::reshape(tp::arange(rows * columns + 1),
                               {rows * columns + 1})[tp::slice(rows * columns)];
    x = tp::reshape(x, {rows, columns});
    tp::Tensor y = scale({x + 1}, {{"factor", 0.5}, {"offset", 3}}) * 2;
    EXPECT_EQ(y.shape(), tp::Shape({rows, columns}));
    EXPECT_TRUE(tp::equal(y, x + 7)) << rows << " x " << columns;
  }
}

TEST(Plugin, IsCalledSeveralTimes) {
  tp::Plugin scale = tp::plugin(describeScale()), same = scale;
  // Another declaration that is equal.
  tp::Plugin again = tp::plugin(describeScale());
  tp::Tensor x({{1.0, 2.0}});
  tp::Tensor y = scale({x}, {{"factor", 2}, {"offset", 0}}) +
                 same({x}, {{"factor", 3}, {"offset", 0}}) +
                 again({x}, {{"factor", 4}, {"offset", 1}});
  EXPECT_EQ(y.toVector<float>(), (std::vector<float>{10, 19}));
}

TEST(Plugin, HasANameThatIsTaken) {
  tp::PluginDescription description = describeScale();
  description.name = "main";
  tp::Plugin scale = tp::plugin(description);
  tp::Tensor x({{1.0, 2.0}});
  tp::Tensor y = scale({x}, {{"factor", 2}, {"offset", 0}});
  EXPECT_EQ(y.toVector<float>(), (std::vector<float>{2, 4}));
}

TEST(Plugin, IsPartOfACompiledProgram) {
  tp::Plugin scale = tp::plugin(describeScale());
  auto fast = tp::compile(
      [&](const tp::Tensor &x) {
        return scale({tp::exp(x)}, {{"factor", 0.5}, {"offset", 1}});
      },
      tp::InputInfo({{0, 2, 300}, 3}, tp::float32, "x"));
  std::string path = testing::TempDir() + "plugin.tpx";
  fast.save(path);
  auto loaded = tp::Executable::load(path);
  for (int64_t rows : {0, 1, 2, 300}) {
    tp::Tensor x = tp::zeros({rows, 3});
    EXPECT_TRUE(tp::equal(fast(x), tp::full({rows, 3}, 1.5)));
    EXPECT_TRUE(tp::equal(loaded(x), tp::full({rows, 3}, 1.5)));
  }
}

TEST_F(PluginOnCpu, HasSeveralResultsOfOtherSizes) {
  tp::Plugin pairs = tp::plugin(
      {.name = "pairs",
       .operands = {{tp::int32, {any}}},
       .results = {{tp::int32, {any}}, {tp::int32, {any}}},
       .sources = {function("pairs")},
       .sizes = [](const std::vector<tp::Shape> &x) {
         return tp::PluginSizes{.results = {{x[0][0] / 2}, {x[0][0] / 2}}};
       }});
  std::vector<tp::Tensor> found = pairs.call({tp::Tensor({1, 5, 2, 9, 4})});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].shape(), tp::Shape({2}));
  EXPECT_EQ(found[0].toVector<int32_t>(), (std::vector<int32_t>{6, 11}));
  EXPECT_EQ(found[1].toVector<int32_t>(), (std::vector<int32_t>{4, 7}));
  EXPECT_EQ(summaryOf([&] { pairs({tp::Tensor({1, 2})}); }),
            "the plugin 'pairs' has 2 results; call() gives them as a list");
  // One of two is enough for a program.
  EXPECT_EQ(pairs.call({tp::Tensor({1, 5})})[1].toVector<int32_t>(),
            (std::vector<int32_t>{4}));
}

TEST_F(PluginOnCpu, TakesNumbers) {
  tp::Plugin add =
      tp::plugin({.name = "add",
                  .operands = {{tp::float64, {}}, {tp::float64, {}}},
                  .results = {{tp::float64, {}}},
                  .sources = {function("add")},
                  .sizes = [](const std::vector<tp::Shape> &) {
                    return tp::PluginSizes{.results = {tp::Shape()}};
                  }});
  EXPECT_EQ(add({1, 0.25}).item<double>(), 1.25);
  EXPECT_EQ(add({tp::cast(tp::Tensor(tp::Number(2.0)), tp::float64), 3})
                .item<double>(),
            5.0);
}

TEST_F(PluginOnCpu, ReportsItsFailure) {
  tp::PluginDescription description = describeScale();
  description.parameters.clear();
  description.sources = {function("refuse")};
  tp::Plugin refuse = tp::plugin(description);
  tp::Error error = errorOf([&] { refuse({tp::ones({1, 1})}).eval(); });
  EXPECT_EQ(error.code(), tp::Code::LaunchFailed);
  EXPECT_NE(error.summary().find("7"), std::string::npos) << error.summary();
  description.sources = {function("nothing")};
  EXPECT_THROW(tp::plugin(description)({tp::ones({1, 1})}).eval(), tp::Error);
}

//===-- other sources -----------------------------------------------------===//

static const char *const outerText = R"(
gpu.module @kernels {
  gpu.func @outer(%a: memref<?xf32>, %b: memref<?xf32>, %r: memref<?x?xf32>) kernel {
    %row = gpu.block_id x
    %zero = arith.constant 0 : index
    %start = gpu.thread_id x
    %threads = gpu.block_dim x
    %columns = memref.dim %b, %zero : memref<?xf32>
    %x = memref.load %a[%row] : memref<?xf32>
    scf.for %j = %start to %columns step %threads {
      %y = memref.load %b[%j] : memref<?xf32>
      %product = arith.mulf %x, %y : f32
      memref.store %product, %r[%row, %j] : memref<?x?xf32>
    }
    gpu.return
  }
})";

static tp::PluginDescription describeOuter(const std::string &text) {
  return {.name = "outer",
          .operands = {{tp::float32, {any}}, {tp::float32, {any}}},
          .results = {{tp::float32, {any, any}}},
          .sources = {tp::PluginSource::gpuFunction(text, "outer", 128)},
          .sizes = [](const std::vector<tp::Shape> &x) {
            return tp::PluginSizes{.results = {{x[0][0], x[1][0]}},
                                   .grid = {x[0][0]}};
          }};
}

TEST_F(PluginOnGpu, IsAGpuFunction) {
  tp::Plugin outer = tp::plugin(describeOuter(outerText));
  tp::Tensor a = tp::arange(5), b = tp::arange(1, 301);
  EXPECT_TRUE(tp::equal(outer({a, b}), tp::outer(a, b)));
}

TEST_F(PluginOnGpu, IsAFile) {
  std::string path = testing::TempDir() + "scale.ptx";
  // Many tools end PTX with a zero.
  std::ofstream(path, std::ios::binary) << scalePtx << '\0';
  tp::PluginDescription description = describeScale();
  description.sources = {
      tp::PluginSource::ptxFile(path, "scale_f32", {256, 1}, scaleArguments)};
  tp::Tensor y = tp::plugin(description)({tp::ones({3, 5})},
                                         {{"factor", 4}, {"offset", -1}});
  EXPECT_TRUE(tp::equal(y, tp::full({3, 5}, 3.0)));
}

TEST(Plugin, MayBeACubin) {
  std::string ptx = testing::TempDir() + "cubin.ptx";
  std::string cubin = testing::TempDir() + "scale.cubin";
  std::ofstream(ptx) << scalePtx;
  std::string command = "ptxas -arch=sm_90 " + ptx + " -o " + cubin;
  if (std::system(command.c_str()) != 0)
    GTEST_SKIP() << "there is no ptxas";
  tp::PluginDescription description = describeScale();
  description.sources = {
      tp::PluginSource::cubinFile(cubin, "scale_f32", 256, scaleArguments)};
  tp::Plugin scale = tp::plugin(description);
  // The emulator runs PTX alone: the program is compiled.
  auto fast = tp::compile(
      {.target = "cuda:sm_90a"},
      [&](const tp::Tensor &x) {
        return scale({x}, {{"factor", 2}, {"offset", 0}});
      },
      tp::InputInfo({2, 3}, tp::float32));
  fast.save(testing::TempDir() + "cubin.tpx");
  description.sources = {tp::PluginSource::cubinFile(cubin, "missing", 256)};
  EXPECT_NE(refusal(description)
                .find("found no function 'missing' in the "
                      "cubin, which has 'scale_f32'"),
            std::string::npos)
      << refusal(description);
}

//===-- errors ------------------------------------------------------------===//

TEST(Plugin, ErrorsOfCallsNameTheirLine) {
  tp::Plugin scale = tp::plugin(describeScale());
  tp::Plugin::Parameters given = {{"factor", 1}, {"offset", 0}};
  tp::Error error = errorOf([&] { scale({tp::ones({2})}, given); });
  EXPECT_EQ(error.frames().front().loc.line, uint32_t(__LINE__ - 1));
  EXPECT_EQ(error.code(), tp::Code::InvalidArgument);
  EXPECT_EQ(error.summary(),
            "violates [trace.plugin C2] there is one operand for each of the "
            "plugin's, with its element type, its rank and the sizes that it "
            "gives; the plugin takes float32 of shape (?, ?); found float32 of "
            "shape (2,)");
  ASSERT_EQ(error.frames().size(), 2u);
  EXPECT_EQ(error.frames()[1].role, "Input 0, float32 of shape (2,)");
  for (const tp::Plugin::Operands &operands :
       {tp::Plugin::Operands{},
        {tp::ones({2, 2}), tp::ones({2, 2})},
        {tp::ones({2, 2}, tp::int32)},
        {1.5}})
    EXPECT_EQ(errorOf([&] { scale(operands, given); }).code(),
              tp::Code::InvalidArgument);
  tp::Tensor x = tp::ones({2, 2});
  EXPECT_EQ(summaryOf([&] { scale({x}, {{"factor", 1}}); }),
            "the parameter 'offset' of plugin 'scale' is missing");
  EXPECT_EQ(summaryOf([&] {
              scale({x}, {{"factor", 1}, {"offset", 0}, {"bias", 0}});
            }),
            "the plugin 'scale' has no parameter 'bias'");
  EXPECT_NE(summaryOf([&] {
              scale({x}, {{"factor", 1}, {"offset", 0.5}});
            }).find("int64"),
            std::string::npos);
  EXPECT_NE(summaryOf([&] { scale({tp::Tensor()}, given); }).find("empty"),
            std::string::npos);
}

TEST(Plugin, SizesThatAreGivenAreRequired) {
  tp::PluginDescription description = describeScale();
  description.operands[0].shape = description.results[0].shape = {any, 4};
  tp::Plugin scale = tp::plugin(description);
  tp::Plugin::Parameters given = {{"factor", 2}, {"offset", 0}};
  EXPECT_TRUE(
      tp::equal(scale({tp::ones({3, 4})}, given), tp::full({3, 4}, 2.0)));
  EXPECT_THROW(scale({tp::ones({4, 3})}, given), tp::Error);
}

TEST(Plugin, ErrorsOfDeclarations) {
  tp::PluginDescription description = describeScale();
  tp::Error error = errorOf([&] {
    description.sources.clear();
    tp::plugin(description);
  });
  EXPECT_EQ(error.frames().front().loc.line, uint32_t(__LINE__ - 2));
  EXPECT_EQ(error.summary(),
            "violates [tripy.plugin C6] there is at least one source");
  auto changed = [&](auto change) {
    tp::PluginDescription copy = describeScale();
    change(copy);
    return refusal(copy);
  };
  auto contains = [](const std::string &text, const char *part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  contains(changed([](auto &d) { d.name.clear(); }), "has a name");
  contains(changed([](auto &d) { d.operands[0].dtype = tp::int4; }),
           "[tripy.plugin C1]");
  contains(changed([](auto &d) { d.results[0].shape = {-2, any}; }),
           "a size of result 0 is not negative, or anyPluginSize; found -2");
  contains(changed([](auto &d) { d.parameters[0].dtype = tp::float16; }),
           "[tripy.plugin C2]");
  contains(changed([](auto &d) { d.parameters[1].name = "factor"; }),
           "[tripy.plugin C2]");
  auto withSource = [&](const tp::PluginSource &source) {
    return changed([&](auto &d) { d.sources = {source}; });
  };
  contains(withSource(tp::PluginSource::ptx(scalePtx, "scale", 256)),
           "found no '.entry' 'scale' in the PTX");
  contains(withSource(tp::PluginSource::ptx(scalePtx, "scale_f32", 2048)),
           "[tripy.plugin C9]");
  contains(
      withSource(tp::PluginSource::ptx(scalePtx, "scale_f32", {1, 1, 1, 1})),
      "[tripy.plugin C9]");
  contains(withSource(tp::PluginSource::ptx(scalePtx, "scale_f32", 256,
                                            {"operand 0", "result 1"})),
           "found 'result 1'");
  EXPECT_EQ(errorOf([] {
              tp::PluginSource::ptxFile("/nowhere/x.ptx", "x", 1);
            }).code(),
            tp::Code::NotFound);
  EXPECT_EQ(
      errorOf([] { tp::PluginSource::cubinFile("/nowhere/x", "x", 1); }).code(),
      tp::Code::NotFound);
  error = errorOf([] { tp::PluginSource::cFunction("/nowhere/x.so", "x"); });
  EXPECT_EQ(error.code(), tp::Code::NotFound);
  EXPECT_EQ(error.frames().front().loc.line, uint32_t(__LINE__ - 2));
}

TEST(Plugin, ErrorsOfSizeFunctions) {
  tp::PluginDescription description = describeScale();
  using Shapes = std::vector<tp::Shape>;
  auto refused = [&](auto function) {
    description.sizes = function;
    return refusal(description);
  };
  const std::string start = "the size function of plugin 'scale' ";
  EXPECT_EQ(refused(nullptr), start + "is missing");
  EXPECT_EQ(refused([](const Shapes &) { return tp::PluginSizes(); }),
            start + "gives a shape for each result, 1; found 0");
  EXPECT_EQ(refused([](const Shapes &x) {
              return tp::PluginSizes{.results = {{x[0][0]}}};
            }),
            start + "gives 2 sizes for result 0; found the shape (?,)");
  EXPECT_EQ(refused([](const Shapes &x) {
              return tp::PluginSizes{.results = {x[0]}, .grid = {1, 1, 1, 1}};
            }),
            start + "gives the blocks in x, y and z; found 4 sizes");
  // One source is for CUDA.
  EXPECT_NE(refused([](const Shapes &x) {
              return tp::PluginSizes{.results = {x[0]}, .numbers = {1}};
            }).find("[tripy.plugin C11]"),
            std::string::npos);
  EXPECT_NE(refused([](const Shapes &x) {
              return tp::PluginSizes{.results = {{x[0][0].value(), 1}}};
            }).find("known when the program runs"),
            std::string::npos);
  // A size of another operation's is none of the plugin's.
  auto other = [&](const tp::Tensor &y) {
    description.sizes = [&](const Shapes &x) {
      return tp::PluginSizes{.results = {{x[0][0], y.shape()[0]}}, .grid = {1}};
    };
    tp::plugin(description);
    return y;
  };
  EXPECT_EQ(summaryOf([&] {
              tp::compile(other, tp::InputInfo({{1, 2, 3}}, tp::float32));
            }),
            start + "calculates with the sizes of its operands and with "
                    "numbers alone; found a size of something else");
  EXPECT_THROW(refused([](const Shapes &) -> tp::PluginSizes {
                 throw std::runtime_error("the user's own");
               }),
               std::runtime_error);
}

TEST(Plugin, ErrorsOfGpuFunctions) {
  auto refused = [](const std::string &text) {
    return refusal(describeOuter(text));
  };
  std::string text = refused("gpu.module @kernels {\n  nonsense\n}");
  EXPECT_NE(text.find("text of 'outer', line 2: "), std::string::npos) << text;
  EXPECT_EQ(refused(""), "the text of kernel 'outer' has one gpu.module and "
                         "nothing else; found 0 operations");
  EXPECT_EQ(refused(std::string(outerText) + outerText),
            "text of 'outer', line 18: redefinition of symbol named 'kernels'");
  EXPECT_NE(refused("gpu.module @kernels {}").find("[tripy.plugin C13]"),
            std::string::npos);
}

TEST_F(PluginOnCpu, IsRefusedWithoutASourceForTheTarget) {
  tp::Plugin outer = tp::plugin(describeOuter(outerText));
  tp::Error error =
      errorOf([&] { outer({tp::ones({2}), tp::ones({3})}).eval(); });
  EXPECT_NE(std::string(error.what()).find("PluginTest.cpp"), std::string::npos)
      << error.what();
}
