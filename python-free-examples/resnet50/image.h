//===- image.h - Pictures for networks --------------------------*- C++ -*-===//
#ifndef TRIPY_EXAMPLES_RESNET50_IMAGE_H
#define TRIPY_EXAMPLES_RESNET50_IMAGE_H

#include <cstdint>
#include <string>
#include <vector>

/// A picture: three channels from 0 to 255, in rows.
struct RgbImage {
  int64_t width = 0, height = 0;
  /// Of the pixel (x, y): 3 * (y * width + x) and the two behind it.
  std::vector<float> values;
};

/// Reads a PPM file (P6, 8 bits), and, where the program was built with libpng
/// and libjpeg, PNG and JPEG. Throws std::runtime_error.
RgbImage readImage(const std::string &path);

/// Makes the shorter side `side` long, as torchvision does: bilinear, with a
/// filter as wide as a new pixel where it becomes smaller, rounded to 0..255.
RgbImage resizeShorter(const RgbImage &image, int64_t side);

/// The square in the middle. Throws std::runtime_error where there is none.
RgbImage cropCenter(const RgbImage &image, int64_t side);

/// (3, height, width), each channel with the mean and deviation of ImageNet.
std::vector<float> normalizeChannels(const RgbImage &image);

#endif // TRIPY_EXAMPLES_RESNET50_IMAGE_H
