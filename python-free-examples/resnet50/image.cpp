//===- image.cpp - Pictures for networks ----------------------------------===//

#include "image.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

/// Resizes one dimension, along rows or along columns; there are `other` of
/// them. Pixels have three values.
static std::vector<float> resizeLines(const std::vector<float> &from,
                                      int64_t size, int64_t newSize,
                                      bool isHorizontal, int64_t other) {
  int64_t step = isHorizontal ? 3 : 3 * other;
  auto lineBegin = [&](int64_t line, int64_t length) {
    return isHorizontal ? 3 * line * length : 3 * line;
  };
  double scale = double(size) / newSize, support = std::max(scale, 1.0);
  std::vector<float> to(3 * newSize * other);
  for (int64_t i = 0; i < newSize; ++i) {
    double center = (i + 0.5) * scale;
    auto first = std::max<int64_t>(int64_t(center - support + 0.5), 0);
    auto last = std::min<int64_t>(int64_t(center + support + 0.5), size);
    std::vector<double> weights;
    double sum = 0;
    for (int64_t j = first; j < last; ++j) {
      double distance = std::abs(j + 0.5 - center) / support;
      weights.push_back(std::max(1 - distance, 0.0));
      sum += weights.back();
    }
    for (int64_t line = 0; line < other; ++line)
      for (int64_t channel = 0; channel < 3; ++channel) {
        double value = 0;
        for (int64_t j = first; j < last; ++j)
          value += weights[j - first] / sum *
                   from[lineBegin(line, size) + j * step + channel];
        to[lineBegin(line, newSize) + i * step + channel] =
            float(std::clamp(std::floor(value + 0.5), 0.0, 255.0));
      }
  }
  return to;
}

RgbImage resizeShorter(const RgbImage &image, int64_t side) {
  RgbImage resized;
  int64_t shorter = std::min(image.width, image.height);
  resized.width = image.width * side / shorter;
  resized.height = image.height * side / shorter;
  std::vector<float> rows =
      resizeLines(image.values, image.width, resized.width, true, image.height);
  resized.values =
      resizeLines(rows, image.height, resized.height, false, resized.width);
  return resized;
}

RgbImage cropCenter(const RgbImage &image, int64_t side) {
  if (side > image.width || side > image.height)
    throw std::runtime_error("the crop is larger than the resized picture");
  // Halves are rounded to even numbers, as Python does.
  auto left = int64_t(std::nearbyint((image.width - side) / 2.0));
  auto top = int64_t(std::nearbyint((image.height - side) / 2.0));
  RgbImage cropped{side, side, {}};
  for (int64_t y = 0; y < side; ++y) {
    auto row = image.values.begin() + 3 * ((top + y) * image.width + left);
    cropped.values.insert(cropped.values.end(), row, row + 3 * side);
  }
  return cropped;
}

std::vector<float> normalizeChannels(const RgbImage &image) {
  static constexpr float means[] = {0.485f, 0.456f, 0.406f},
                         deviations[] = {0.229f, 0.224f, 0.225f};
  int64_t pixels = image.width * image.height;
  std::vector<float> values(3 * pixels);
  for (int64_t channel = 0; channel < 3; ++channel)
    for (int64_t i = 0; i < pixels; ++i)
      values[channel * pixels + i] =
          (image.values[3 * i + channel] / 255 - means[channel]) /
          deviations[channel];
  return values;
}
