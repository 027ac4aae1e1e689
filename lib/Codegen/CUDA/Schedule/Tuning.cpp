//===- Tuning.cpp - Measured tiles of tensor-core kernels -----------------===//
//
// A tuning file is text, one record a line:
//
//   tripy-tuning 2
//   sm_90a | NVIDIA H200 | 1 | f16 64x64x64 nt ... | 64x64,cluster=4 | 12.5
//   sm_90a | NVIDIA H200 | 1 | product f16 64x64x64 nt ... | cublaslt | 11.5
//   end
//
// Fields: chip, device, generation of the kernels, contraction, tile,
// microseconds. The version is that of the format; 1 has no products.
//
//===----------------------------------------------------------------------===//

#include "tripy/Codegen/Tuning.h"

#include "Codegen/CUDA/Contractions/Gemv.h"
#include "Codegen/CUDA/Contractions/WgmmaGemm.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Text.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace tripy;
using namespace tripy::codegen;
using llvm::StringRef;

static constexpr StringRef magic = "tripy-tuning ";
static constexpr uint32_t formatVersion = 2;
static constexpr StringRef lastLine = "end\n";
static constexpr size_t maxText = 200;
/// Larger than any file of maxTuningRecords records.
static constexpr uint64_t maxBytes = 8 << 20;

//===-- text --------------------------------------------------------------===//

static bool isText(StringRef text) {
  return !text.empty() && text.size() <= maxText && text == text.trim() &&
         !text.contains('|') && isPrintable(text);
}

/// Whether what is said to be the fastest is one of what there is to choose.
static bool isChoice(const TuningRecord &record) {
  if (StringRef(record.contraction).starts_with("product "))
    return record.tile == ownBackend || record.tile == libraryBackend;
  return parseWgmmaTile(record.tile).has_value();
}

/// Whether what `record` says can be written and may be used.
static bool isGood(const TuningRecord &record) {
  return isText(record.chip) && isText(record.device) &&
         isText(record.contraction) && isText(record.tile) &&
         isChoice(record) && std::isfinite(record.microseconds) &&
         record.microseconds > 0;
}

static std::string keyOf(const TuningRecord &record) {
  return concat(record.chip, "|", record.device, "|", record.kernels, "|",
                record.contraction);
}

std::string codegen::printTuning(const TuningRecords &records) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << magic << formatVersion << "\n";
  for (const TuningRecord &record : records)
    stream << record.chip << " | " << record.device << " | " << record.kernels
           << " | " << record.contraction << " | " << record.tile << " | "
           << llvm::format("%.6g", record.microseconds) << "\n";
  stream << lastLine;
  return text;
}

static std::optional<TuningRecord> parseRecord(StringRef line) {
  llvm::SmallVector<StringRef> fields;
  line.split(fields, " | ");
  TuningRecord record;
  if (fields.size() != 6 || fields[2].getAsInteger(10, record.kernels) ||
      fields[5].getAsDouble(record.microseconds))
    return std::nullopt;
  record.chip = fields[0].str();
  record.device = fields[1].str();
  record.contraction = fields[3].str();
  record.tile = fields[4].str();
  return isGood(record) ? std::optional(record) : std::nullopt;
}

Result<TuningRecords> codegen::parseTuning(std::string_view given) {
  StringRef text(given);
  // What is cut within the first word was one of ours.
  if (magic.starts_with(text))
    return Status(Code::Truncated, "it ends within its first line");
  auto [first, rest] = text.split('\n');
  uint32_t version = 0;
  if (!first.consume_front(magic))
    return Status(Code::BadMagic, "it is not a tuning file");
  if (first.getAsInteger(10, version) || version == 0)
    return Status(Code::Malformed, "its first line is damaged");
  if (version > formatVersion)
    return Status(Code::UnsupportedVersion,
                  concat("its version is ", version,
                         ", and this compiler knows versions up to ",
                         formatVersion));
  if (rest != lastLine && !rest.ends_with("\nend\n"))
    return Status(Code::Truncated, "its last line is missing");
  rest = rest.drop_back(lastLine.size());
  TuningRecords records;
  llvm::StringSet<> keys;
  for (size_t line = 2; !rest.empty(); ++line) {
    auto [text, more] = rest.split('\n');
    rest = more;
    std::optional<TuningRecord> record = parseRecord(text);
    if (!record || !keys.insert(keyOf(*record)).second)
      return Status(Code::Malformed, concat("line ", line, " is damaged"));
    if (records.size() == maxTuningRecords)
      return Status(Code::LimitExceeded,
                    concat("it has more than ", maxTuningRecords, " records"));
    records.push_back(std::move(*record));
  }
  return records;
}

//===-- file --------------------------------------------------------------===//

Result<TuningRecords> codegen::readTuningFile(const std::string &path) {
  Result<std::vector<uint8_t>> bytes = readFile(path, maxBytes);
  if (!bytes)
    return bytes.status();
  Result<TuningRecords> records = parseTuning(
      {reinterpret_cast<const char *>(bytes->data()), bytes->size()});
  if (!records)
    return Status(records.status())
        .withContext(concat("'", printable(path, 1024), "'"));
  return records;
}

namespace {
/// Held by the one process that changes a file. The lock is on a file beside
/// it: the file itself is replaced.
class FileLock {
public:
  explicit FileLock(const std::string &path)
      : file(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    while (file >= 0 && ::flock(file, LOCK_EX) != 0)
      if (errno != EINTR) {
        ::close(file);
        file = -1;
      }
  }
  FileLock(const FileLock &) = delete;
  ~FileLock() {
    if (file >= 0)
      ::close(file);
  }
  bool isHeld() const { return file >= 0; }

private:
  int file;
};
} // namespace

Status codegen::mergeIntoTuningFile(const std::string &path,
                                    const TuningRecords &found) {
  for (const TuningRecord &record : found)
    if (!isGood(record))
      return Status(Code::InvalidArgument,
                    concat("a tuning record cannot be written: '",
                           printable(keyOf(record), 400), "'"));
  FileLock lock(path + ".lock");
  if (!lock.isHeld())
    return Status(Code::Io, concat("cannot lock '", printable(path, 1024),
                                   ".lock': ", std::strerror(errno)));
  Result<TuningRecords> old = readTuningFile(path);
  Code code = old ? Code::Ok : old.status().code();
  bool replaces = code == Code::NotFound || code == Code::Truncated ||
                  code == Code::Malformed;
  if (!old && !replaces)
    return old.status();
  llvm::StringSet<> renewed;
  for (const TuningRecord &record : found)
    renewed.insert(keyOf(record));
  TuningRecords all;
  if (old)
    for (TuningRecord &record : *old)
      if (!renewed.contains(keyOf(record)))
        all.push_back(std::move(record));
  // Of several in `found` the last counts.
  size_t kept = all.size();
  for (const TuningRecord &record : llvm::reverse(found))
    if (renewed.erase(keyOf(record)))
      all.push_back(record);
  std::reverse(all.begin() + kept, all.end());
  if (all.size() > maxTuningRecords)
    all.erase(all.begin(), all.end() - maxTuningRecords);
  std::string text = printTuning(all);
  auto bytes = reinterpret_cast<const uint8_t *>(text.data());
  return writeFile(path, {bytes, text.size()});
}

//===-- use ---------------------------------------------------------------===//

const TuningRecord *codegen::findTuning(const TuningRecords &records,
                                        std::string_view chip,
                                        std::string_view device,
                                        std::string_view contraction) {
  const TuningRecord *found = nullptr;
  for (const TuningRecord &record : records) {
    if (record.kernels != tunedKernels || record.chip != chip ||
        record.contraction != contraction ||
        (!device.empty() && record.device != device))
      continue;
    if (found)
      return nullptr;
    found = &record;
  }
  return found;
}

std::optional<TileChoices> codegen::listTileChoices(kernel::FuncOp kernel,
                                                    std::string_view chip,
                                                    unsigned limit) {
  if (kernel.getRoot() != kernel::FusionRoot::Gemm || chip != "sm_90a" ||
      scheduleGemv(kernel, CudaChip::of(chip)))
    return std::nullopt;
  std::optional<WgmmaSchedule> schedule = recogniseWgmma(kernel);
  std::optional<std::string> contraction =
      schedule ? describeContraction(*schedule) : std::nullopt;
  if (!contraction)
    return std::nullopt;
  TileChoices choices{std::move(*contraction), {}};
  for (const WgmmaCandidate &candidate : listTiles(*schedule, limit))
    choices.tiles.push_back({candidate.tile.str(), candidate.cycles});
  return choices;
}
