//===- main.cpp - What is in a picture ------------------------------------===//

#include "image.h"
#include "model.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <stdexcept>

namespace tp = tripy;

static const char usageText[] =
    R"(usage: resnet50 --weights F.safetensors [options] PICTURE

PICTURE is a file of the format PPM (P6), PNG or JPEG.

  --labels FILE   names of the classes, one a line
  --resize N      the shorter side, before the middle is cut out (256)
  --crop N        the side of the middle (224)
  --logits FILE   write the logits of all classes, one a line
)";

namespace {
struct ResNetArguments {
  std::string weights, labels, logits, picture;
  int64_t resize = 256, crop = 224;
};
} // namespace

static ResNetArguments parseArguments(int argc, char **argv) {
  ResNetArguments parsed;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    auto value = [&]() -> std::string {
      if (i + 1 == argc)
        throw std::runtime_error(name + " needs a value");
      return argv[++i];
    };
    auto size = [&] {
      std::string text = value();
      char *end = nullptr;
      int64_t found = std::strtoll(text.c_str(), &end, 10);
      if (*end || found < 1 || found > 1 << 14)
        throw std::runtime_error(name + " is a size from 1 to 2^14; found '" +
                                 text + "'");
      return found;
    };
    if (name == "--weights")
      parsed.weights = value();
    else if (name == "--labels")
      parsed.labels = value();
    else if (name == "--resize")
      parsed.resize = size();
    else if (name == "--crop")
      parsed.crop = size();
    else if (name == "--logits")
      parsed.logits = value();
    else if (name.starts_with("--"))
      throw std::runtime_error("no option has the name " + name);
    else
      parsed.picture = name;
  }
  if (parsed.weights.empty() || parsed.picture.empty())
    throw std::runtime_error(usageText);
  return parsed;
}

static std::vector<std::string> readLabels(const std::string &path) {
  std::vector<std::string> labels;
  std::ifstream file(path);
  if (!file && !path.empty())
    throw std::runtime_error("cannot read '" + path + "'");
  for (std::string line; std::getline(file, line);)
    labels.push_back(line);
  return labels;
}

static void printTopFive(const std::vector<float> &logits,
                         const std::vector<std::string> &labels) {
  tp::Tensor chances = tp::softmax(tp::Tensor(logits));
  auto best = tp::topk(chances, std::min<int64_t>(5, logits.size()), 0);
  std::vector<float> values = best.values.toVector<float>();
  std::vector<int32_t> classes = best.indices.toVector<int32_t>();
  for (size_t i = 0; i < values.size(); ++i) {
    size_t number = classes[i];
    std::cout << std::fixed << std::setprecision(2) << std::setw(6)
              << 100 * values[i] << " %  "
              << (number < labels.size() ? labels[number]
                                         : "class " + std::to_string(number))
              << "\n";
  }
}

static void classify(const ResNetArguments &arguments) {
  std::vector<std::string> labels = readLabels(arguments.labels);
  RgbImage image =
      cropCenter(resizeShorter(readImage(arguments.picture), arguments.resize),
                 arguments.crop);
  ResNet network = loadResNet(arguments.weights);
  auto fast = tp::compile(
      network, tp::InputInfo({{1, 1, 8}, 3, arguments.crop, arguments.crop},
                             tp::float32, "pictures"));
  tp::Tensor picture(normalizeChannels(image),
                     tp::Shape{1, 3, arguments.crop, arguments.crop});
  std::vector<float> logits = fast(picture).toVector<float>();
  if (!arguments.logits.empty()) {
    std::ofstream file(arguments.logits);
    for (float logit : logits)
      file << std::setprecision(9) << logit << "\n";
  }
  printTopFive(logits, labels);
}

int main(int argc, char **argv) {
  try {
    classify(parseArguments(argc, argv));
  } catch (const std::exception &error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
