//===- formats.cpp - Pictures of files ------------------------------------===//
//
// PPM is read here, PNG and JPEG by libpng and libjpeg where the build has
// found them.
//
//===----------------------------------------------------------------------===//

#include "image.h"

#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>

#ifdef RESNET_HAS_PNG
#include <png.h>
#endif
#ifdef RESNET_HAS_JPEG
#include <csetjmp>
// Needs stdio.h in front of it.
#include <jpeglib.h>
#endif

static constexpr int64_t maxSide = 1 << 20, maxPixels = 1 << 28;

static RgbImage makeImage(const std::string &path, int64_t width,
                          int64_t height) {
  if (width < 1 || height < 1 || width > maxSide || height > maxSide ||
      width * height > maxPixels)
    throw std::runtime_error(
        path + ": expected sides from 1 to 2^20 and at most 2^28 pixels; " +
        "found " + std::to_string(width) + " x " + std::to_string(height));
  return {width, height, {}};
}

//===-- PPM ---------------------------------------------------------------===//

/// The next number of a header, behind blanks and comments.
static int64_t readNumber(std::istream &file, const std::string &path) {
  while (true) {
    file >> std::ws;
    if (file.peek() != '#')
      break;
    std::string comment;
    std::getline(file, comment);
  }
  int64_t number = 0;
  if (!(file >> number))
    throw std::runtime_error(path + ": expected a number in the header");
  return number;
}

static RgbImage readPpm(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(2);
  int64_t width = readNumber(file, path), height = readNumber(file, path);
  RgbImage image = makeImage(path, width, height);
  if (readNumber(file, path) != 255)
    throw std::runtime_error(path + ": expected 8 bits for a channel");
  file.get();
  std::vector<char> bytes(3 * width * height);
  if (!file.read(bytes.data(), int64_t(bytes.size())))
    throw std::runtime_error(path + ": expected " +
                             std::to_string(bytes.size()) +
                             " bytes behind the header");
  for (char byte : bytes)
    image.values.push_back(float(uint8_t(byte)));
  return image;
}

//===-- PNG ---------------------------------------------------------------===//

#ifdef RESNET_HAS_PNG
static RgbImage readPng(const std::string &path) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  auto check = [&](int isGood) {
    if (isGood)
      return;
    std::string reason = png.message;
    png_image_free(&png);
    throw std::runtime_error(path + ": " + reason);
  };
  check(png_image_begin_read_from_file(&png, path.c_str()));
  png.format = PNG_FORMAT_RGB;
  std::unique_ptr<png_image, void (*)(png_image *)> guard(&png, png_image_free);
  RgbImage image = makeImage(path, png.width, png.height);
  std::vector<png_byte> bytes(PNG_IMAGE_SIZE(png));
  // What is transparent is white.
  png_color white = {255, 255, 255};
  guard.release(); // the call frees it, as check() does
  check(png_image_finish_read(&png, &white, bytes.data(), 0, nullptr));
  image.values.assign(bytes.begin(), bytes.end());
  return image;
}
#else
static RgbImage readPng(const std::string &path) {
  throw std::runtime_error(path + " is a PNG picture, and this program was "
                                  "built without libpng (libpng-dev)");
}
#endif

//===-- JPEG --------------------------------------------------------------===//

#ifdef RESNET_HAS_JPEG
namespace {
/// No exception may pass libjpeg, which is C.
struct JpegFailure {
  jpeg_error_mgr manager;
  std::jmp_buf back;
  char text[JMSG_LENGTH_MAX];
};
} // namespace

/// Decodes to `bytes`; false with the reason in `failure`. Has no objects that
/// a jump would skip.
static bool decodeJpeg(std::FILE *file, JpegFailure &failure,
                       std::vector<uint8_t> &bytes, int64_t &width,
                       int64_t &height) {
  jpeg_decompress_struct jpeg;
  jpeg.err = jpeg_std_error(&failure.manager);
  failure.manager.error_exit = [](j_common_ptr info) {
    auto *failure = reinterpret_cast<JpegFailure *>(info->err);
    info->err->format_message(info, failure->text);
    std::longjmp(failure->back, 1);
  };
  failure.manager.output_message = [](j_common_ptr) {};
  jpeg_create_decompress(&jpeg);
  if (setjmp(failure.back)) {
    jpeg_destroy_decompress(&jpeg);
    return false;
  }
  jpeg_stdio_src(&jpeg, file);
  jpeg_read_header(&jpeg, TRUE);
  jpeg.out_color_space = JCS_RGB;
  jpeg_start_decompress(&jpeg);
  width = jpeg.output_width;
  height = jpeg.output_height;
  if (width * height <= maxPixels)
    bytes.resize(3 * width * height);
  while (!bytes.empty() && jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = bytes.data() + 3 * width * jpeg.output_scanline;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_destroy_decompress(&jpeg);
  return true;
}

static RgbImage readJpeg(const std::string &path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(
      std::fopen(path.c_str(), "rb"), std::fclose);
  JpegFailure failure;
  std::vector<uint8_t> bytes;
  int64_t width = 0, height = 0;
  if (!file || !decodeJpeg(file.get(), failure, bytes, width, height))
    throw std::runtime_error(path + ": " +
                             (file ? failure.text : "cannot be read"));
  RgbImage image = makeImage(path, width, height);
  image.values.assign(bytes.begin(), bytes.end());
  // libjpeg goes on behind damage, and counts it.
  if (failure.manager.num_warnings > 0)
    throw std::runtime_error(path + ": the JPEG picture is damaged");
  return image;
}
#else
static RgbImage readJpeg(const std::string &path) {
  throw std::runtime_error(path + " is a JPEG picture, and this program was "
                                  "built without libjpeg (libjpeg-dev)");
}
#endif

RgbImage readImage(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  char magic[4] = {};
  file.read(magic, sizeof(magic));
  std::string begin(magic, sizeof(magic));
  if (begin == "\x89PNG")
    return readPng(path);
  if (begin.starts_with("\xff\xd8\xff"))
    return readJpeg(path);
  if (begin.starts_with("P6"))
    return readPpm(path);
  throw std::runtime_error("'" + path +
                           "' is no picture of the formats PPM (P6), PNG and "
                           "JPEG");
}
