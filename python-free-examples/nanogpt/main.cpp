//===- main.cpp - Text from the weights of GPT-2 --------------------------===//

#include "model.h"
#include "tokenizer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <random>
#include <stdexcept>

namespace tp = tripy;

static const char usageText[] =
    R"(usage: nanogpt --weights F.safetensors --encoder F.json --merges F.bpe [options] PROMPT

  --tokens N       tokens to write (10)
  --temperature T  below 1 the likely tokens become more likely; 0 takes the
                   likeliest (0.8)
  --top-k N        only the N likeliest tokens are drawn; 0: all (5)
  --seed N         of the drawing (0)
  --heads N        of the attention (width / 64, as GPT-2 has)
  --float16        weights and cache of 16 bits: half the memory, and tensor
                   cores on GPUs
  --logits FILE    write the logits of each step, one step a line
  --ids            print the prompt's tokens, and stop
  --timing         print what compiling and writing took
)";

namespace {

struct GptArguments {
  std::string weights, encoder, merges, prompt, logits;
  int64_t tokens = 10, topK = 5, heads = 0;
  double temperature = 0.8;
  uint64_t seed = 0;
  bool printsIds = false, printsTiming = false, isHalf = false;
};

/// Draws the next token.
class Sampler {
public:
  explicit Sampler(const GptArguments &arguments)
      : arguments(arguments), random(arguments.seed) {}

  int32_t draw(const std::vector<float> &logits) {
    std::vector<int32_t> order(logits.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = int32_t(i);
    std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
    });
    if (arguments.temperature == 0)
      return order.front();
    if (arguments.topK > 0 && size_t(arguments.topK) < order.size())
      order.resize(arguments.topK);
    std::vector<double> weights;
    double sum = 0;
    for (int32_t token : order) {
      weights.push_back(std::exp((logits[token] - logits[order.front()]) /
                                 arguments.temperature));
      sum += weights.back();
    }
    // 53 bits, the same on each machine.
    double left = double(random() >> 11) * 0x1p-53 * sum;
    for (size_t i = 0; i < order.size(); ++i)
      if ((left -= weights[i]) < 0)
        return order[i];
    return order.back();
  }

private:
  const GptArguments &arguments;
  std::mt19937_64 random;
};

} // namespace

static double readTemperature(const std::string &text) {
  char *end = nullptr;
  double temperature = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !(temperature >= 0 && temperature < 1e6))
    throw std::runtime_error("--temperature is a number from 0; found '" +
                             text + "'");
  return temperature;
}

static GptArguments parseArguments(int argc, char **argv) {
  GptArguments parsed;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    auto value = [&]() -> std::string {
      if (i + 1 == argc)
        throw std::runtime_error(name + " needs a value");
      return argv[++i];
    };
    auto number = [&](int64_t smallest) {
      std::string text = value();
      size_t end = 0;
      int64_t found = smallest - 1;
      try {
        found = std::stoll(text, &end);
      } catch (const std::logic_error &) {
        end = std::string::npos; // no number
      }
      if (end != text.size() || found < smallest)
        throw std::runtime_error(name + " is a number from " +
                                 std::to_string(smallest) + "; found '" + text +
                                 "'");
      return found;
    };
    if (name == "--weights")
      parsed.weights = value();
    else if (name == "--encoder")
      parsed.encoder = value();
    else if (name == "--merges")
      parsed.merges = value();
    else if (name == "--tokens")
      parsed.tokens = number(1);
    else if (name == "--temperature")
      parsed.temperature = readTemperature(value());
    else if (name == "--top-k")
      parsed.topK = number(0);
    else if (name == "--seed")
      parsed.seed = uint64_t(number(0));
    else if (name == "--heads")
      parsed.heads = number(1);
    else if (name == "--logits")
      parsed.logits = value();
    else if (name == "--float16")
      parsed.isHalf = true;
    else if (name == "--ids")
      parsed.printsIds = true;
    else if (name == "--timing")
      parsed.printsTiming = true;
    else if (name.starts_with("--"))
      throw std::runtime_error("no option has the name " + name);
    else
      parsed.prompt = name;
  }
  if (parsed.encoder.empty() || parsed.merges.empty() ||
      parsed.prompt.empty() || (parsed.weights.empty() && !parsed.printsIds))
    throw std::runtime_error(usageText);
  return parsed;
}

/// One program for prompts of all lengths and for single tokens.
static tp::Executable compileGpt(const Gpt &gpt, const GptSizes &sizes) {
  std::vector<tp::InputInfo> cache;
  for (int64_t i = 0; i < 2 * sizes.layers; ++i)
    cache.emplace_back(
        std::vector<tp::DimensionRange>{1, sizes.heads, sizes.context,
                                        sizes.width / sizes.heads},
        sizes.dtype);
  return tp::compile(
      gpt, tp::InputInfo({1, {1, 1, sizes.context}}, tp::int32, "tokens"),
      tp::InputInfo({}, tp::int32, "position"), cache);
}

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

static int generate(const GptArguments &arguments) {
  BytePairTokenizer tokenizer(arguments.encoder, arguments.merges);
  std::vector<int32_t> tokens = tokenizer.encode(arguments.prompt);
  if (arguments.printsIds) {
    for (int32_t token : tokens)
      std::cout << token << " ";
    std::cout << "\n" << tokenizer.decode(tokens) << "\n";
    return 0;
  }
  GptSizes sizes;
  Gpt gpt = loadGpt(arguments.weights, arguments.heads,
                    arguments.isHalf ? tp::float16 : tp::float32, sizes);
  if (int64_t(tokens.size()) + arguments.tokens - 1 > sizes.context)
    throw std::runtime_error("the model has room for " +
                             std::to_string(sizes.context) + " tokens; found " +
                             std::to_string(tokens.size()) + " and --tokens " +
                             std::to_string(arguments.tokens));
  auto start = std::chrono::steady_clock::now();
  tp::Executable program = compileGpt(gpt, sizes);
  double compiling = secondsSince(start);
  start = std::chrono::steady_clock::now();

  tp::Shape shape = {1, sizes.heads, sizes.context, sizes.width / sizes.heads};
  std::vector<tp::Tensor> cache(2 * sizes.layers,
                                tp::zeros(shape, sizes.dtype));
  std::ofstream logitsFile;
  if (!arguments.logits.empty())
    logitsFile.open(arguments.logits);
  Sampler sampler(arguments);
  std::vector<int32_t> next = tokens;
  for (int64_t step = 0; step < arguments.tokens; ++step) {
    auto position = int64_t(tokens.size() - next.size());
    std::vector<tp::TensorLike> inputs = {
        tp::Tensor(next, tp::Shape{1, next.size()}), position};
    inputs.insert(inputs.end(), cache.begin(), cache.end());
    cache = program.run(inputs);
    std::vector<float> logits = cache.front().toVector<float>();
    cache.erase(cache.begin());
    for (float logit : logits)
      logitsFile << std::setprecision(9) << logit << " ";
    logitsFile << "\n";
    next = {sampler.draw(logits)};
    if (next.front() == tokenizer.endOfText())
      break;
    tokens.push_back(next.front());
  }
  std::cout << tokenizer.decode(tokens) << "\n";
  if (arguments.printsTiming)
    std::cout << "compiled in " << compiling << " s, " << arguments.tokens
              << " tokens in " << secondsSince(start) << " s\n";
  return 0;
}

int main(int argc, char **argv) {
  try {
    return generate(parseArguments(argc, argv));
  } catch (const std::exception &error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
