//===- ExecutableParse.cpp - Reading the .tpx container -------------------===//

#include "PlanCodec.h"
#include "tripy/Base/CheckedMath.h"
#include "tripy/Base/ExecutableFormat.h"
#include "tripy/Base/Text.h"

#include <algorithm>
#include <new>

using namespace tripy;

namespace {

using Bytes = std::span<const uint8_t>;

uint64_t readNumber(Bytes bytes, uint64_t offset, unsigned size) {
  uint64_t value = 0;
  for (unsigned i = 0; i < size; ++i)
    value |= uint64_t(bytes[offset + i]) << (8 * i);
  return value;
}

Hash128 readHash(Bytes bytes, uint64_t offset) {
  return {readNumber(bytes, offset, 8), readNumber(bytes, offset + 8, 8)};
}

bool isZero(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](uint8_t byte) { return byte == 0; });
}

std::string_view sectionName(SectionKind kind) {
  switch (kind) {
  case SectionKind::Plan:
    return "plan";
  case SectionKind::Whys:
    return "whys";
  case SectionKind::Images:
    return "images";
  case SectionKind::Constants:
    return "constants";
  }
  return "unknown";
}

/// Checks magic, version, sizes and hash of header and table.
Status checkHeader(Bytes bytes, uint32_t &sectionCount) {
  size_t known = std::min(bytes.size(), executableMagic.size());
  if (!std::equal(bytes.begin(), bytes.begin() + known,
                  executableMagic.begin()))
    return Status(Code::BadMagic, "not a Tripy executable: the first bytes are "
                                  "not those of a .tpx file");
  if (bytes.size() < executableHeaderBytes)
    return Status(Code::Truncated,
                  concat("the header needs ", executableHeaderBytes,
                         " bytes, but the file has ", bytes.size()));
  uint64_t major = readNumber(bytes, 8, 2), minor = readNumber(bytes, 10, 2);
  if (major != executableMajor || minor > executableMinor)
    return Status(
        Code::UnsupportedVersion,
        concat("this runtime reads format ", executableMajor, ".",
               executableMinor, ", but the file has format ", major, ".", minor,
               "; recompile the model or use the Tripy that wrote it"));
  uint64_t total = readNumber(bytes, 16, 8);
  if (total > bytes.size())
    return Status(Code::Truncated,
                  concat("the header promises ", total,
                         " bytes, but the file has ", bytes.size()));
  if (total < bytes.size())
    return Status(Code::Malformed,
                  concat("the header promises ", total,
                         " bytes, but the file has ", bytes.size()));
  sectionCount = uint32_t(readNumber(bytes, 12, 4));
  if (sectionCount == 0 || sectionCount > 4)
    return Status(Code::Malformed, concat("a file has 1 to 4 sections, but "
                                          "the header says ",
                                          sectionCount));
  uint64_t tableEnd =
      executableHeaderBytes + sectionCount * executableSectionBytes;
  if (tableEnd > bytes.size())
    return Status(Code::Truncated,
                  concat("the section table ends at ", tableEnd,
                         ", but the file has ", bytes.size(), " bytes"));
  std::vector<uint8_t> hashed(bytes.begin(), bytes.begin() + 48);
  hashed.insert(hashed.end(), bytes.begin() + executableHeaderBytes,
                bytes.begin() + tableEnd);
  if (hashBytes(hashed) != readHash(bytes, 48))
    return Status(Code::ChecksumMismatch,
                  "the header is damaged: its hash does not match");
  if (!isZero(bytes.subspan(24, 24)))
    return Status(Code::Malformed, "reserved bytes of the header must be zero");
  return Status::ok();
}

/// Checks one row of the table: kinds ascend, sections follow each other at the
/// next aligned offset.
Status checkSection(Bytes bytes, uint64_t row, uint64_t &end, uint32_t &kind,
                    Section &section) {
  uint32_t thisKind = uint32_t(readNumber(bytes, row, 4));
  section.offset = readNumber(bytes, row + 8, 8);
  section.size = readNumber(bytes, row + 16, 8);
  section.hash = readHash(bytes, row + 24);
  if (!isZero(bytes.subspan(row + 4, 4)) || !isZero(bytes.subspan(row + 40, 8)))
    return Status(Code::Malformed,
                  "reserved bytes of the section table must be zero");
  if (thisKind <= kind || thisKind > uint32_t(SectionKind::Constants))
    return Status(Code::Malformed,
                  concat("kinds of sections must ascend from 1 to 4, but ",
                         thisKind, " follows ", kind));
  kind = thisKind;
  section.kind = SectionKind(thisKind);
  std::optional<uint64_t> start = checkedAlignUp(end, executableAlignment);
  if (!start || section.offset != *start)
    return Status(Code::Malformed,
                  concat("section '", sectionName(section.kind),
                         "' must start where the one before ends, but is at ",
                         section.offset));
  std::optional<uint64_t> sectionEnd = checkedAdd(section.offset, section.size);
  if (!sectionEnd || *sectionEnd > bytes.size() || section.size == 0)
    return Status(Code::Malformed,
                  concat("section '", sectionName(section.kind),
                         "' must lie inside the file and have bytes, but has ",
                         section.size, " bytes at ", section.offset));
  end = *sectionEnd;
  return Status::ok();
}

/// Checks padding and contents of all sections.
Status checkContents(Bytes bytes, std::span<const Section> sections,
                     unsigned threads) {
  uint64_t end =
      executableHeaderBytes + sections.size() * executableSectionBytes;
  for (const Section &section : sections) {
    if (!isZero(bytes.subspan(end, section.offset - end)))
      return Status(Code::Malformed, concat("bytes between sections must be "
                                            "zero, but some at ",
                                            end, " are not"));
    end = section.offset + section.size;
  }
  for (const Section &section : sections)
    if (treeHash(bytes.subspan(section.offset, section.size), threads) !=
        section.hash)
      return Status(Code::ChecksumMismatch,
                    concat("the file is damaged: the hash of section '",
                           sectionName(section.kind), "' does not match"));
  return Status::ok();
}

Status finish(const plan::Decoder &decoder, std::string_view name) {
  if (!decoder.status().isOk()) {
    Status status = decoder.status();
    return std::move(status).withContext(concat("section '", name, "'"));
  }
  if (!decoder.atEnd())
    return Status(Code::Malformed, concat("section '", name,
                                          "' has bytes after its last record"));
  return Status::ok();
}

Status decodeSections(Bytes bytes, std::span<const Section> sections,
                      Program &program) {
  for (const Section &section : sections) {
    Bytes contents = bytes.subspan(section.offset, section.size);
    plan::Decoder decoder(contents);
    Status status;
    switch (section.kind) {
    case SectionKind::Plan:
      plan::describe(decoder, program);
      status = finish(decoder, "plan");
      break;
    case SectionKind::Whys:
      plan::describeWhys(decoder, program);
      status = finish(decoder, "whys");
      if (status.isOk() && program.whys.empty())
        status = Status(Code::Malformed, "section 'whys' must hold some");
      break;
    case SectionKind::Images:
      program.imageData = contents;
      break;
    case SectionKind::Constants:
      program.constants = contents;
      break;
    }
    if (!status.isOk())
      return status;
  }
  return Status::ok();
}

} // namespace

Result<std::vector<Section>> tripy::parseSectionTable(Bytes bytes) {
  uint32_t count = 0;
  if (Status status = checkHeader(bytes, count); !status.isOk())
    return status;
  std::vector<Section> sections(count);
  uint64_t row = executableHeaderBytes;
  uint64_t end = row + count * executableSectionBytes;
  uint32_t kind = 0;
  for (Section &section : sections) {
    if (Status status = checkSection(bytes, row, end, kind, section);
        !status.isOk())
      return status;
    row += executableSectionBytes;
  }
  if (sections[0].kind != SectionKind::Plan)
    return Status(Code::Malformed, "the first section must be the plan");
  if (end != bytes.size())
    return Status(Code::Malformed,
                  concat("the last section must end the file "
                         "of ",
                         bytes.size(), " bytes, but ends at ", end));
  return sections;
}

Result<Program> tripy::parseExecutable(Bytes bytes,
                                       const ParseOptions &options) {
  try {
    Result<std::vector<Section>> sections = parseSectionTable(bytes);
    if (!sections)
      return sections.status();
    if (Status status = checkContents(bytes, *sections, options.threads);
        !status.isOk())
      return status;
    Program program;
    if (Status status = decodeSections(bytes, *sections, program);
        !status.isOk())
      return status;
    return program;
  } catch (const std::bad_alloc &) {
    return Status::outOfMemory("to read the executable's plan");
  }
}
