//===- IONpzTest.cpp - Reading and writing .npz ---------------------------===//

#include "IOTestUtil.h"

#include "tripy/Runtime/IO/Npy.h"

#include <functional>
#include <zlib.h>

using namespace tripy;
using namespace tripy::io;
using namespace tripy::iotest;

namespace {

void put(Bytes &out, uint64_t value, int width) {
  for (int i = 0; i < width; ++i, value >>= 8)
    out.push_back(static_cast<uint8_t>(value));
}

Bytes deflated(const Bytes &bytes, bool finish = true) {
  Bytes out(compressBound(bytes.size()) + 64);
  z_stream stream = {};
  EXPECT_EQ(
      deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY),
      Z_OK);
  stream.next_in = const_cast<uint8_t *>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, finish ? Z_FINISH : Z_SYNC_FLUSH),
            finish ? Z_STREAM_END : Z_OK);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// One entry of a hand-made archive; the fields say what the archive claims.
struct Entry {
  std::string name;
  Bytes data;
  uint16_t method = 0, flags = 0;
  uint64_t size = 0;
  uint32_t crc = 0;
  /// Name in the local header, and where the directory says it is.
  std::string localName;
  int64_t moveLocal = 0;
  bool wide = false;
};

Entry stored(std::string name, const Bytes &bytes) {
  Entry entry;
  entry.name = entry.localName = name + ".npy";
  entry.data = bytes;
  entry.size = bytes.size();
  entry.crc = static_cast<uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
  return entry;
}

Entry packed(std::string name, const Bytes &bytes) {
  Entry entry = stored(std::move(name), bytes);
  entry.data = deflated(bytes);
  entry.method = 8;
  return entry;
}

void putCommon(Bytes &out, const Entry &entry, const std::string &name,
               uint16_t extra) {
  put(out, 20, 2);
  put(out, entry.flags, 2);
  put(out, entry.method, 2);
  put(out, 0, 4);
  put(out, entry.crc, 4);
  put(out, entry.wide ? 0xffffffff : entry.data.size(), 4);
  put(out, entry.wide ? 0xffffffff : entry.size, 4);
  put(out, name.size(), 2);
  put(out, extra, 2);
}

Bytes archive(const std::vector<Entry> &entries, std::string comment = "") {
  Bytes out, directory;
  for (const Entry &entry : entries) {
    uint64_t local = out.size();
    put(out, 0x04034b50, 4);
    putCommon(out, entry, entry.localName, 0);
    out.insert(out.end(), entry.localName.begin(), entry.localName.end());
    out.insert(out.end(), entry.data.begin(), entry.data.end());
    put(directory, 0x02014b50, 4);
    put(directory, 20, 2);
    putCommon(directory, entry, entry.name, entry.wide ? 28 : 0);
    put(directory, 0, 10);
    put(directory,
        entry.wide ? 0xffffffff
                   : local + static_cast<uint64_t>(entry.moveLocal),
        4);
    directory.insert(directory.end(), entry.name.begin(), entry.name.end());
    if (entry.wide) {
      put(directory, 1, 2);
      put(directory, 24, 2);
      put(directory, entry.size, 8);
      put(directory, entry.data.size(), 8);
      put(directory, local, 8);
    }
  }
  uint64_t start = out.size();
  out.insert(out.end(), directory.begin(), directory.end());
  put(out, 0x06054b50, 4);
  put(out, 0, 4);
  put(out, entries.size(), 2);
  put(out, entries.size(), 2);
  put(out, directory.size(), 4);
  put(out, start, 4);
  put(out, comment.size(), 2);
  out.insert(out.end(), comment.begin(), comment.end());
  return out;
}

Bytes array(size_t bytes) {
  return npy("{'descr': '|u1', 'fortran_order': False, 'shape': (" +
                 std::to_string(bytes) + ",), }",
             bytes);
}

/// The first error of opening the archive or reading all of its arrays.
Status readAll(const Bytes &bytes, const NpyOptions &options = {}) {
  Result<Npz> npz = Npz::parse(bytes);
  if (!npz)
    return npz.status();
  for (const NpzEntry &entry : npz->entries()) {
    Result<HostTensor> tensor = npz->read(entry.name, options);
    if (!tensor)
      return tensor.status();
  }
  return Status::ok();
}

} // namespace

TEST(Npz, ReadsStoredAndDeflated) {
  Bytes bytes =
      archive({stored("a", array(3)), packed("b", array(2000))}, "a comment");
  Result<Npz> npz = Npz::parse(bytes);
  ASSERT_TRUE(npz) << npz.status().message();
  ASSERT_EQ(npz->entries().size(), 2u);
  EXPECT_TRUE(npz->entries()[1].deflated);
  Result<HostTensor> b = npz->read("b");
  ASSERT_TRUE(b) << b.status().message();
  EXPECT_EQ(b->shape(), Shape{2000});
  EXPECT_EQ(b->data()[300], 300 % 256);
  EXPECT_EQ(npz->read("a")->bytes(), 3u);
  Status missing = npz->read("c").status();
  EXPECT_EQ(missing.code(), Code::NotFound);
  EXPECT_TRUE(Npz::parse(archive({}))) << "an archive may be empty";
}

TEST(Npz, ReadsWideSizes) {
  Entry entry = packed("a", array(100));
  entry.wide = true;
  Status status = readAll(archive({entry}));
  EXPECT_TRUE(status.isOk()) << status.message();
}

TEST(Npz, RefusesBadArchives) {
  struct Case {
    const char *name;
    Code code;
    const char *text;
    std::function<void(Entry &)> change;
  };
  const Case cases[] = {
      {"encrypted", Code::Unsupported, "encrypted",
       [](Entry &e) { e.flags = 1; }},
      {"other method", Code::Unsupported, "method 12",
       [](Entry &e) { e.method = 12; }},
      {"two names", Code::Malformed, "differs",
       [](Entry &e) { e.localName = "x.npy"; }},
      {"no header there", Code::Malformed, "no local header",
       [](Entry &e) { e.moveLocal = 1; }},
      {"header beyond the file", Code::Malformed, "no local header",
       [](Entry &e) { e.moveLocal = 1 << 30; }},
      {"stored with two sizes", Code::Malformed, "two sizes",
       [](Entry &e) { e.size += 1; }},
      {"bad checksum", Code::ChecksumMismatch, "checksum",
       [](Entry &e) { e.crc ^= 1; }},
      {"no .npy", Code::Unsupported, "*.npy",
       [](Entry &e) { e.name = e.localName = "a.txt"; }},
      {"no name", Code::Malformed, "printable",
       [](Entry &e) { e.name = e.localName = ".npy"; }},
      {"control character", Code::Malformed, "printable",
       [](Entry &e) { e.name = e.localName = "a\n.npy"; }},
      {"not an array", Code::BadMagic, "NUMPY",
       [](Entry &e) { e = stored("a", bytesOf("hello, world")); }},
  };
  for (const Case &c : cases) {
    Entry entry = stored("a", array(3));
    c.change(entry);
    Status status = readAll(archive({entry}));
    EXPECT_EQ(codeName(status.code()), codeName(c.code))
        << c.name << ": " << status.message();
    EXPECT_NE(status.message().find(c.text), std::string::npos)
        << c.name << ": " << status.message();
  }
}

TEST(Npz, RefusesBombs) {
  // Declares more than deflate can hold.
  Entry liar = packed("a", array(100));
  liar.size = uint64_t(1) << 31;
  EXPECT_EQ(readAll(archive({liar})).code(), Code::LimitExceeded);
  // Expands to more, or less, than declared.
  for (int64_t change : {-1, 1, 1000}) {
    Entry entry = packed("a", array(100));
    entry.size =
        static_cast<uint64_t>(static_cast<int64_t>(entry.size) + change);
    Status status = readAll(archive({entry}));
    EXPECT_EQ(codeName(status.code()), "Malformed") << status.message();
  }
  // All there, but for the end.
  Entry open = stored("a", array(100));
  open.data = deflated(array(100), /*finish=*/false);
  open.method = 8;
  EXPECT_EQ(codeName(readAll(archive({open})).code()), "Malformed");
  // Honest, but above what the caller allows.
  Bytes zeros = array(100000);
  std::fill(zeros.end() - 100000, zeros.end(), uint8_t(0));
  NpyOptions options;
  options.maxInflatedBytes = 50000;
  EXPECT_EQ(readAll(archive({packed("a", zeros)}), options).code(),
            Code::LimitExceeded);
  EXPECT_TRUE(readAll(archive({packed("a", zeros)})).isOk());
}

TEST(Npz, AsksBeforeItExpands) {
  // Type and shape of 64 MB that expand from 64 kB, for an input of 8 bytes:
  // neither is expanded when the caller refuses it, or when the shape and the
  // entry's size differ.
  Entry bomb = packed("a", array(64 << 20));
  Bytes bytes = archive({bomb});
  NpyOptions options;
  int asked = 0;
  options.check = [&](DType dtype, const Shape &shape) {
    ++asked;
    EXPECT_EQ(dtype, DType::U8);
    return shape == Shape{8} ? Status::ok()
                             : Status(Code::ShapeOutOfRange, "not (8,)");
  };
  EXPECT_EQ(readAll(bytes, options).code(), Code::ShapeOutOfRange);
  EXPECT_EQ(asked, 1);
  Bytes small = array(8);
  small.resize(64 << 20);
  EXPECT_EQ(codeName(readAll(archive({packed("a", small)}), options).code()),
            "Malformed");
  EXPECT_EQ(asked, 2);
}

TEST(Npz, AFileThatBecomesShorter) {
  TemporaryFolder folder;
  std::string path = folder.path("x.npz");
  for (Entry entry : {stored("a", array(5000)), packed("a", array(5000))}) {
    writeBytes(path, archive({entry}));
    Result<Npz> npz = Npz::open(path);
    ASSERT_TRUE(npz) << npz.status().message();
    std::filesystem::resize_file(path, 60);
    Status status = npz->read("a").status();
    EXPECT_EQ(status.code(), Code::Io) << status.message();
    EXPECT_NE(status.message().find("became shorter"), std::string::npos);
  }
}

TEST(Npz, RefusesOverlapsAndDuplicates) {
  EXPECT_NE(readAll(archive({stored("a", array(3)), stored("a", array(4))}))
                .message()
                .find("twice"),
            std::string::npos);
  // The second entry points into the first, whose data is a local header.
  Entry inner = stored("b", array(3));
  Bytes nested = archive({inner});
  Entry outer = stored("a", nested);
  Entry second = inner;
  second.moveLocal = -static_cast<int64_t>(nested.size());
  Status status = readAll(archive({outer, second}));
  EXPECT_EQ(status.code(), Code::Malformed);
  EXPECT_NE(status.message().find("overlap"), std::string::npos)
      << status.message();
}

TEST(Npz, RefusesBadEnds) {
  Bytes good = archive({stored("a", array(3))});
  auto code = [](Bytes bytes) { return readAll(bytes).code(); };
  EXPECT_EQ(code({}), Code::BadMagic);
  EXPECT_EQ(code(bytesOf("\x93NUMPY")), Code::BadMagic);
  Bytes trailing = good;
  trailing.push_back(0);
  EXPECT_EQ(code(trailing), Code::Truncated);
  Bytes counts = good;
  counts[counts.size() - 22 + 8] = counts[counts.size() - 22 + 10] = 200;
  EXPECT_EQ(code(counts), Code::Malformed);
  Bytes disks = good;
  disks[disks.size() - 22 + 4] = 1;
  EXPECT_EQ(code(disks), Code::Unsupported);
}

TEST(Npz, EveryMutationIsSurvived) {
  Entry wide = packed("c", array(40));
  wide.wide = true;
  Bytes bytes =
      archive({stored("a", array(3)), packed("b", array(40)), wide}, "hi");
  size_t accepted = 0;
  size_t count = mutate(bytes, [&](const Bytes &changed) {
    accepted += readAll(changed).isOk() ? 1 : 0;
  });
  EXPECT_EQ(count, bytes.size() * 12);
  EXPECT_LT(accepted, count / 4);
}

TEST(Npz, WritesWhatItReads) {
  TemporaryFolder folder;
  std::string path = folder.path("x.npz");
  HostTensor x = floats({2, 2}, {1, 2, 3, 4}), none = floats({0}, {});
  NpzTensor tensors[] = {{"weights/x", x.view()}, {"none", none.view()}};
  Status status = writeNpz(path, tensors);
  ASSERT_TRUE(status.isOk()) << status.message();
  Result<Npz> npz = Npz::open(path);
  ASSERT_TRUE(npz) << npz.status().message();
  Result<HostTensor> read = npz->read("weights/x");
  ASSERT_TRUE(read) << read.status().message();
  EXPECT_EQ(std::memcmp(read->data(), x.data(), 16), 0);
  EXPECT_EQ(npz->read("none")->shape(), Shape{0});
  Bytes first = readBytes(path);
  ASSERT_TRUE(writeNpz(path, tensors).isOk());
  EXPECT_EQ(first, readBytes(path)) << "output is reproducible";
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Npz, WritesManyEntries) {
  TemporaryFolder folder;
  std::string path = folder.path("many.npz");
  HostTensor x = floats({}, {1});
  std::vector<NpzTensor> tensors;
  for (int i = 0; i < 70000; ++i)
    tensors.push_back({"t" + std::to_string(i), x.view()});
  Status status = writeNpz(path, tensors);
  ASSERT_TRUE(status.isOk()) << status.message();
  Result<Npz> npz = Npz::open(path);
  ASSERT_TRUE(npz) << npz.status().message();
  EXPECT_EQ(npz->entries().size(), 70000u);
  EXPECT_TRUE(npz->read("t69999"));
}

TEST(Npz, WriterRefusesBadNames) {
  TemporaryFolder folder;
  HostTensor x = floats({1}, {1});
  auto code = [&](std::vector<std::string> names) {
    std::vector<NpzTensor> tensors;
    for (std::string &name : names)
      tensors.push_back({name, x.view()});
    return writeNpz(folder.path("x.npz"), tensors).code();
  };
  EXPECT_EQ(code({""}), Code::InvalidArgument);
  EXPECT_EQ(code({"a\n"}), Code::InvalidArgument);
  EXPECT_EQ(code({std::string(1025, 'a')}), Code::InvalidArgument);
  EXPECT_EQ(code({"a", "a"}), Code::InvalidArgument);
  EXPECT_EQ(folder.files(), 0u);
}
