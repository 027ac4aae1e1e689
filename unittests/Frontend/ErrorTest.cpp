//===- ErrorTest.cpp - Errors name the user's lines -----------------------===//

#include "ThrownErrors.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include <pty.h>
#include <unistd.h>

namespace tp = tripy;

static tp::Tensor add(const tp::Tensor &a, const tp::Tensor &b) {
  return a + b;
}

TEST(Error, OfShapes) {
  tp::Tensor a = tp::ones({3, 4});
  tp::Tensor b = tp::ones({3, 3});
  tp::Error error = errorOf([&] { add(a, b); });
  EXPECT_EQ(error.code(), tp::Code::InvalidArgument);
  EXPECT_EQ(error.summary(),
            "violates [trace.add C2] aligned at the last dimension, sizes are "
            "equal or one of them is 1; found float32 of shape (3, "
            "4), float32 of shape (3, 3)");
  ASSERT_EQ(error.frames().size(), 4u);
  EXPECT_EQ(error.frames()[0].loc.line, 18u);
  EXPECT_STREQ(error.frames()[0].loc.function, "add");
  EXPECT_EQ(error.frames()[1].role,
            "Note: Tripy introduces an operation in order to broadcast the "
            "right operand of 'add' from (3, 3) to (3, 4), to be compatible "
            "with the left operand; the size 3 of its dimension 1 is neither 1 "
            "nor 4");
  EXPECT_EQ(error.frames()[1].loc.line, 0u);
  EXPECT_EQ(error.frames()[2].role, "Input 0, float32 of shape (3, 4)");
  EXPECT_EQ(error.frames()[3].role, "Input 1, float32 of shape (3, 3)");
  EXPECT_EQ(error.frames()[3].loc.line, error.frames()[2].loc.line + 1);
  // The text quotes the lines.
  std::string text = error.what();
  EXPECT_NE(text.find("ErrorTest.cpp:18 in add()\n      |\n   18 |   return a "
                      "+ b;\n      |          ^^^^^\nerror: violates"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("tp::Tensor b = tp::ones({3, 3});"), std::string::npos)
      << text;
  EXPECT_NE(text.find("(3, 3)\n    Note: Tripy introduces"), std::string::npos)
      << text;
}

// Types as the frontend prints them, and none of the compiler's.
TEST(Error, NamesTypes) {
  auto messageOf = [](auto call) { return errorOf(call).summary(); };
  tp::Tensor x = tp::ones({2, 3}), mask = tp::ones({2, 3}, tp::boolean);
  EXPECT_EQ(messageOf([&] { tp::reshape(x, {4}); }),
            "violates [trace.reshape C4] the number of elements stays the "
            "same; input is float32 of shape (2, 3), sizes are [4]");
  EXPECT_EQ(messageOf([&] { tp::where(x, x, x); }),
            "violates [trace.where C1] the condition's element type is bool; "
            "found 'float32'");
  EXPECT_EQ(messageOf([&] { tp::matmul(tp::ones({}, tp::float16), x); }),
            "violates [trace.matmul C2] both operands have one element type; "
            "found 'float16' and 'float32'");
  EXPECT_EQ(messageOf([&] { tp::tril(tp::ones({3}, tp::float8)); }),
            "violates [trace.tril C1] the input has rank at least 2; found "
            "float8 of shape (3,)");
  EXPECT_EQ(messageOf([&] {
              tp::compile([](const tp::Tensor &x) { return tp::tril(x); },
                          tp::InputInfo({{1, 2, 3}}, tp::int32));
            }),
            "violates [trace.tril C1] the input has rank at least 2; found "
            "int32 of shape (?,)");
}

TEST(Error, ShowsNumbers) {
  auto messageOf = [](auto call) { return errorOf(call).summary(); };
  tp::Tensor x = tp::ones({2, 4});
  EXPECT_EQ(messageOf([&] { tp::LayerNorm({4}, tp::float32, -0.125)(x); }),
            "violates [trace.layer_norm C5] eps is finite and not negative; "
            "eps is -0.125");
  EXPECT_EQ(messageOf([&] { tp::elu(x, -INFINITY); }),
            "violates [trace.elu C2] alpha is finite; alpha is -inf");
  EXPECT_EQ(messageOf([&] { tp::resize(x, "linear", {.scales = {0.5, NAN}}); }),
            "violates [trace.resize C7] scales are from 2^-20 to 2^20; found "
            "[0.5, nan]");
}

TEST(Error, NamesChannels) {
  tp::Tensor x = tp::ones({1, 3, 8, 8});
  auto messageOf = [](auto call) { return errorOf(call).summary(); };
  auto endsWith = [&](const std::string &text, std::string_view end) {
    EXPECT_TRUE(text.ends_with(end)) << text;
  };
  endsWith(messageOf([&] { tp::Conv(4, 8, {3, 3})(x); }),
           "groups is 1, found float32 of shape (1, 3, 8, 8), float32 of shape "
           "(8, 4, 3, 3); the input has 3 channels, and dimension 1 of the "
           "weight is 4");
  endsWith(messageOf([&] { tp::ConvTranspose(4, 8, {3, 3})(x); }),
           "; the input has 3 channels, and dimension 0 of the weight is 4");
  endsWith(messageOf([&] {
             tp::convolution(x, tp::ones({8, 3, 3, 3}), {.stride = {1}});
           }),
           "; found [1], [], [] and []; the input has rank 4");
  endsWith(messageOf([&] { tp::maxpool(x, {9, 9}); }),
           "; found float32 of shape (1, 3, 8, 8) and the window [9, 9]");
  endsWith(messageOf([&] { tp::maxpool(x, {2, 2}, {.low = {1, 1, 1}}); }),
           "; found [], [], [1, 1, 1] and [] for the window [2, 2]");
}

// Nobody gave a profile.
TEST(Error, OfHugeTensors) {
  tp::Tensor huge = tp::ones({int64_t(1) << 40});
  EXPECT_EQ(errorOf([&] { huge.eval(); }).summary(),
            "a tensor must have at most 2^40 bytes; float32 of shape "
            "(1099511627776,) needs 4398046511104 bytes");
  EXPECT_EQ(errorOf([&] {
              tp::compile(
                  [](const tp::Tensor &x) { return x + 1; },
                  tp::InputInfo({{1, 2, int64_t(1) << 40}}, tp::float32));
            }).summary(),
            "a tensor must have at most 2^40 bytes for the largest sizes of "
            "the profile; float32 of shape (?,) needs 4398046511104 bytes");
}

static tp::Tensor addNamed(const tp::Tensor &a, const tp::Tensor &b,
                           tp::SourceLoc caller = tp::SourceLoc::current()) {
  tp::CallFrame frame(caller);
  return a + b;
}

static tp::Tensor addTwice(const tp::Tensor &a, const tp::Tensor &b,
                           tp::SourceLoc caller = tp::SourceLoc::current()) {
  tp::CallFrame frame(caller);
  return addNamed(addNamed(a, a), b);
}

/// Lines of the calls that led to the error, innermost first.
static std::vector<unsigned> callersOf(const tp::Error &error) {
  std::vector<unsigned> lines;
  for (const tp::ErrorFrame &frame : error.frames())
    if (frame.role == "called from")
      lines.push_back(frame.loc.line);
  return lines;
}

// The founding example: the expression inside of add, and the call of it.
TEST(Error, NamesTheCallersOfFunctions) {
  tp::Tensor a = tp::ones({3, 4});
  tp::Tensor b = tp::ones({3, 3});
  unsigned line = __LINE__ + 1;
  tp::Error error = errorOf([&] { addNamed(a, b); });
  EXPECT_STREQ(error.frames().front().loc.function, "addNamed");
  EXPECT_EQ(callersOf(error), std::vector<unsigned>{line});
  std::string text = error.what();
  EXPECT_NE(text.find("return a + b;"), std::string::npos) << text;
  EXPECT_NE(text.find("Input 1, float32 of shape (3, 3)"), std::string::npos)
      << text;
  EXPECT_NE(text.find("called from: --> "), std::string::npos) << text;
  EXPECT_NE(text.find("errorOf([&] { addNamed(a, b); });"), std::string::npos)
      << text;
  line = __LINE__ + 1;
  error = errorOf([&] { addTwice(a, b); });
  ASSERT_EQ(callersOf(error).size(), 2u);
  EXPECT_EQ(callersOf(error)[1], line);
  // Nothing is left of calls that are over.
  EXPECT_TRUE(callersOf(errorOf([&] { add(a, b); })).empty());
}

TEST(Error, NamesTheCallersOfFunctionsThatAreCompiled) {
  unsigned line = 0;
  auto wrong = [&](const tp::Tensor &x) {
    line = __LINE__ + 1;
    return addNamed(x, tp::ones({3}));
  };
  tp::Error error = errorOf([&] {
    tp::compile({.strictShapes = true}, wrong,
                tp::InputInfo({{1, 2, 4}}, tp::float32));
  });
  std::string text = error.what();
  EXPECT_NE(text.find("return a + b;"), std::string::npos) << text;
  EXPECT_NE(text.find("ErrorTest.cpp:" + std::to_string(line)),
            std::string::npos)
      << text;
}

/// The notes of an error, without the lines of inputs.
static std::vector<std::string> notesOf(const tp::Error &error) {
  std::vector<std::string> notes;
  for (const tp::ErrorFrame &frame : error.frames())
    if (frame.role.starts_with("Note: Tripy "))
      notes.push_back(frame.role.substr(12));
  return notes;
}

TEST(Error, OfBroadcasts) {
  tp::Tensor a = tp::ones({2, 1, 4}), b = tp::ones({3, 5}), none;
  EXPECT_EQ(notesOf(errorOf([&] { b *a; })),
            (std::vector<std::string>{
                "introduces an operation in order to broadcast the right "
                "operand of 'mul' from (2, 1, 4) to (2, 3, 5), to be "
                "compatible with the left operand; the size 4 of its dimension "
                "2 is neither 1 nor 5"}));
  EXPECT_EQ(notesOf(errorOf([&] { tp::where(a > 0, 1.0, b); })),
            (std::vector<std::string>{
                "introduces an operation in order to broadcast the operand "
                "'other' of 'where' from (3, 5) to (2, 3, 4), to be compatible "
                "with the operand 'condition'; the size 5 of its dimension 1 "
                "is neither 1 nor 4"}));
  EXPECT_EQ(notesOf(errorOf([&] { tp::zeros({0, 3}) + tp::ones({2, 3}); })),
            (std::vector<std::string>{
                "introduces an operation in order to broadcast the right "
                "operand of 'add' from (2, 3) to (0, 3), to be compatible with "
                "the left operand; the size 2 of its dimension 0 is neither 1 "
                "nor 0"}));
  // Another rule has no such reason.
  EXPECT_TRUE(notesOf(errorOf([&] { a + tp::ones({4}, tp::int32); })).empty());
}

TEST(Error, OfOperationsThatTripyIntroduced) {
  tp::Tensor a = tp::ones({2, 3}), b = tp::ones({2, 2});
  std::string begin = "introduced this operation in order to ";
  auto last = [&](auto call) { return notesOf(errorOf(call)).back(); };
  EXPECT_EQ(last([&] { tp::stack({a, a}, 7); }),
            begin + "join the inputs of 'stack' along a new dimension");
  EXPECT_EQ(last([&] { tp::allclose(a, b); }),
            begin + "compare the operands of 'allclose'");
  EXPECT_EQ(last([&] { a[tp::Tensor({0.5})]; }),
            begin + "take a part of the tensor");
  EXPECT_EQ(last([] { tp::arange(3, tp::boolean); }),
            begin + "compute the numbers of 'arange'");
  // What the user wrote has no reason, also behind one that has.
  EXPECT_TRUE(notesOf(errorOf([&] { tp::unsqueeze(a, 7); })).empty());
}

TEST(Error, OfElementTypes) {
  tp::Tensor a = tp::ones({2}), b = tp::ones({2}, tp::int32);
  EXPECT_NE(errorOf([&] { a *b; })
                .summary()
                .find("both operands have one element type; found 'float32' "
                      "and 'int32'"),
            std::string::npos)
      << errorOf([&] { a *b; }).summary();
  EXPECT_EQ(errorOf([&] { b + 1.5; }).summary(),
            "refusing to automatically cast the float32 1.5 to int32; "
            "tripy::cast changes the element type of a tensor");
  EXPECT_THROW(tp::Tensor({true}) + 2, tp::Error);
  EXPECT_THROW(tp::ones({2}, tp::int8) + 1000, tp::Error);
  EXPECT_NO_THROW(a + 1);
}

TEST(Error, OfArguments) {
  tp::Tensor x = tp::ones({2, 3});
  EXPECT_THROW(tp::softmax(x, 2), tp::Error);
  EXPECT_THROW(tp::reshape(x, {-1, -1}), tp::Error);
  EXPECT_THROW(tp::reshape(x, {4, 2}), tp::Error);
  EXPECT_THROW(tp::permute(x, {0, 0}), tp::Error);
  EXPECT_THROW(tp::squeeze(x, 0), tp::Error);
  EXPECT_THROW(tp::expand(x, {2}), tp::Error);
  EXPECT_THROW(tp::concatenate({}, 0), tp::Error);
  EXPECT_THROW(tp::stack({x, tp::ones({3, 2})}), tp::Error);
  EXPECT_THROW(tp::split(x, 0), tp::Error);
  EXPECT_THROW(tp::split(x, std::vector<int64_t>{1, 2}), tp::Error);
  EXPECT_THROW(tp::arange(0, 5, 0), tp::Error);
  EXPECT_THROW(tp::arange(0), tp::Error);
  EXPECT_THROW(tp::flatten(x, 1, 0), tp::Error);
  EXPECT_THROW(tp::outer(x, x), tp::Error);
  EXPECT_THROW(tp::pad(x, {{1, 1}}), tp::Error);
  EXPECT_THROW(tp::pad(x, {{1, 1}, {0, 0}}, "mirror"), tp::Error);
  EXPECT_THROW(tp::repeat(x, 2, 2), tp::Error);
  EXPECT_THROW(tp::repeat(x, -1, 0), tp::Error);
}

TEST(Error, OfReading) {
  tp::Tensor x = tp::ones({2});
  EXPECT_EQ(errorOf([&] { x.toVector<int>(); }).code(),
            tp::Code::DTypeMismatch);
  EXPECT_THROW(x.item<float>(), tp::Error);
  EXPECT_THROW(tp::Tensor().eval(), tp::Error);
  EXPECT_THROW(tp::exp(tp::Tensor()), tp::Error);
  EXPECT_EQ(errorOf([] { tp::Tensor::fromNpy("/nowhere/x.npy"); }).code(),
            tp::Code::NotFound);
}

TEST(Error, OfMissingGpusNamesWhatProgramsMaySet) {
  try {
    tp::Stream stream(tp::Device::gpu());
    GTEST_SKIP() << "there is a GPU";
  } catch (const tp::Error &error) {
    EXPECT_NE(error.summary().find("set the environment variable "
                                   "TRIPY_DEVICE=cpu"),
              std::string::npos)
        << error.summary();
    EXPECT_EQ(error.summary().find("--device"), std::string::npos)
        << error.summary();
  }
}

TEST(Error, OfLists) {
  EXPECT_THROW(tp::Tensor({{1, 2}, {3}}), tp::Error);
  EXPECT_THROW(tp::Tensor({{1, 2}, 3}), tp::Error);
  EXPECT_THROW(tp::Tensor({1, {2, 3}}), tp::Error);
  EXPECT_THROW(tp::Tensor({1.5}, tp::int32), tp::Error);
  EXPECT_THROW(tp::Tensor({300}, tp::int8), tp::Error);
}

TEST(Error, OfTheCompilerStandAtTheEvaluation) {
  // Needs more memory than a program may have.
  tp::Tensor large =
      tp::sum(tp::cumsum(tp::ones({int64_t(1) << 19, int64_t(1) << 20})));
  tp::Error error = errorOf([&] { large.eval(); });
  ASSERT_FALSE(error.frames().empty());
  EXPECT_EQ(error.frames().front().loc.line, __LINE__ - 2u);
  EXPECT_TRUE(std::string(error.what()).starts_with("--> ")) << error.what();
  EXPECT_NE(std::string(error.what()).find("large.eval()"), std::string::npos)
      << error.what();
}

TEST(Error, PrintsWithoutColoursElsewhere) {
  tp::Error error = errorOf([] { tp::ones({2}) + tp::ones({3}); });
  std::ostringstream os;
  os << error;
  EXPECT_EQ(os.str(), error.what());
}

/// What printing an error to standard error shows on a terminal.
static std::string onTerminal(const tp::Error &error) {
  int control = -1, terminal = -1;
  EXPECT_EQ(openpty(&control, &terminal, nullptr, nullptr, nullptr), 0);
  int kept = dup(STDERR_FILENO);
  dup2(terminal, STDERR_FILENO);
  std::cerr << error << std::flush;
  dup2(kept, STDERR_FILENO);
  char text[4096];
  ssize_t size = read(control, text, sizeof(text));
  for (int file : {control, terminal, kept})
    close(file);
  return std::string(text, size > 0 ? size : 0);
}

TEST(Error, ColoursOnTerminals) {
  tp::Error error(tp::Code::Internal, "a sentence",
                  {{tp::SourceLoc{"/nowhere/a.cpp", "main", 3, 1}, ""}});
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  EXPECT_EQ(onTerminal(error),
            "--> \x1b[33m/nowhere/a.cpp\x1b[0m\x1b[36m:3 in "
            "main()\x1b[0m\r\n\x1b[31merror:\x1b[0m a sentence");
  setenv("NO_COLOR", "1", 1);
  EXPECT_EQ(onTerminal(error).find('\x1b'), std::string::npos);
  unsetenv("NO_COLOR");
  setenv("TERM", "dumb", 1);
  EXPECT_EQ(onTerminal(error).find('\x1b'), std::string::npos);
}

TEST(Error, ShowsTheFirstOfManyInputs) {
  std::vector<tp::Tensor> inputs(100, tp::ones({2, 3}));
  inputs.push_back(tp::ones({2}));
  try {
    tp::concatenate(inputs, 0);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const tp::Error &error) {
    EXPECT_LT(error.frames().size(), 20u);
    EXPECT_EQ(std::string(error.what()).find("Input 16"), std::string::npos);
  }
}
