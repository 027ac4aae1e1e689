//===- ExecutableWrite.cpp - Writing the .tpx container -------------------===//

#include "PlanCodec.h"
#include "tripy/Base/CheckedMath.h"
#include "tripy/Base/ExecutableFormat.h"
#include "tripy/Base/Text.h"
#include "tripy/Base/Verify.h"

#include <algorithm>

using namespace tripy;

namespace {

void appendNumber(std::vector<uint8_t> &out, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    out.push_back(uint8_t(value >> (8 * i)));
}

void appendHash(std::vector<uint8_t> &out, const Hash128 &hash) {
  appendNumber(out, hash.low, 8);
  appendNumber(out, hash.high, 8);
}

Status writeZeros(ByteSink &sink, uint64_t count) {
  static constexpr std::array<uint8_t, 4096> zeros = {};
  while (count > 0) {
    uint64_t part = std::min<uint64_t>(count, zeros.size());
    if (Status status = sink.write({zeros.data(), part}); !status.isOk())
      return status;
    count -= part;
  }
  return Status::ok();
}

/// Checks that the pieces are in order and inside.
Status checkPieces(const ConstantPieces &constants) {
  uint64_t end = 0;
  for (const ConstantPiece &piece : constants.pieces) {
    std::optional<uint64_t> pieceEnd =
        checkedAdd<uint64_t>(piece.offset, piece.bytes.size());
    if (piece.offset < end || !pieceEnd || *pieceEnd > constants.size)
      return Status(Code::InvalidArgument,
                    concat("constants must be in order and within ",
                           constants.size, " bytes, but one is at ",
                           piece.offset, " with ", piece.bytes.size(),
                           " bytes"));
    end = *pieceEnd;
  }
  return Status::ok();
}

Hash128 hashConstants(const ConstantPieces &constants) {
  if (constants.pieces.size() == 1 &&
      constants.pieces[0].bytes.size() == constants.size)
    return treeHash(constants.pieces[0].bytes);
  TreeHasher hasher;
  uint64_t end = 0;
  for (const ConstantPiece &piece : constants.pieces) {
    hasher.updateZeros(piece.offset - end);
    hasher.update(piece.bytes);
    end = piece.offset + piece.bytes.size();
  }
  hasher.updateZeros(constants.size - end);
  return hasher.finish();
}

Status writeConstants(const ConstantPieces &constants, ByteSink &sink) {
  uint64_t end = 0;
  for (const ConstantPiece &piece : constants.pieces) {
    if (Status status = writeZeros(sink, piece.offset - end); !status.isOk())
      return status;
    if (Status status = sink.write(piece.bytes); !status.isOk())
      return status;
    end = piece.offset + piece.bytes.size();
  }
  return writeZeros(sink, constants.size - end);
}

/// Header and section table. Offsets are assigned here.
std::vector<uint8_t> encodeHeader(std::vector<Section> &sections) {
  uint64_t end =
      executableHeaderBytes + sections.size() * executableSectionBytes;
  for (Section &section : sections) {
    section.offset = *checkedAlignUp(end, executableAlignment);
    end = section.offset + section.size;
  }
  std::vector<uint8_t> out(executableMagic.begin(), executableMagic.end());
  appendNumber(out, executableMajor, 2);
  appendNumber(out, executableMinor, 2);
  appendNumber(out, sections.size(), 4);
  appendNumber(out, end, 8);
  out.resize(48);
  std::vector<uint8_t> table;
  for (const Section &section : sections) {
    appendNumber(table, uint32_t(section.kind), 4);
    appendNumber(table, 0, 4);
    appendNumber(table, section.offset, 8);
    appendNumber(table, section.size, 8);
    appendHash(table, section.hash);
    appendNumber(table, 0, 8);
  }
  // The header's hash covers what stands before it and the table.
  std::vector<uint8_t> hashed = out;
  hashed.insert(hashed.end(), table.begin(), table.end());
  appendHash(out, hashBytes(hashed));
  out.insert(out.end(), table.begin(), table.end());
  return out;
}

} // namespace

Status tripy::serialize(const Program &program, const ConstantPieces &constants,
                        ByteSink &sink) {
  if (Status status = checkPieces(constants); !status.isOk())
    return status;
  // Only read; see Encoder::list.
  Program &records = const_cast<Program &>(program);
  std::vector<uint8_t> plan, whys;
  plan::Encoder planEncoder(plan), whyEncoder(whys);
  plan::describe(planEncoder, records);
  if (!planEncoder.status().isOk())
    return planEncoder.status();
  if (!program.whys.empty())
    plan::describeWhys(whyEncoder, records);
  if (!whyEncoder.status().isOk())
    return whyEncoder.status();

  std::vector<Section> sections;
  sections.push_back({SectionKind::Plan, 0, plan.size(), treeHash(plan)});
  if (!whys.empty())
    sections.push_back({SectionKind::Whys, 0, whys.size(), treeHash(whys)});
  if (!program.imageData.empty())
    sections.push_back({SectionKind::Images, 0, program.imageData.size(),
                        treeHash(program.imageData)});
  if (constants.size > 0)
    sections.push_back(
        {SectionKind::Constants, 0, constants.size, hashConstants(constants)});

  std::vector<uint8_t> header = encodeHeader(sections);
  uint64_t end = header.size();
  Status status = sink.write(header);
  for (const Section &section : sections) {
    if (!status.isOk())
      return status;
    status = writeZeros(sink, section.offset - end);
    if (!status.isOk())
      return status;
    end = section.offset + section.size;
    switch (section.kind) {
    case SectionKind::Plan:
      status = sink.write(plan);
      break;
    case SectionKind::Whys:
      status = sink.write(whys);
      break;
    case SectionKind::Images:
      status = sink.write(program.imageData);
      break;
    case SectionKind::Constants:
      status = writeConstants(constants, sink);
      break;
    }
  }
  return status;
}

Status tripy::serialize(const Program &program, ByteSink &sink) {
  ConstantPiece whole{0, program.constants};
  return serialize(program, {program.constants.size(), {&whole, 1}}, sink);
}

Status tripy::writeExecutable(const std::string &path, const Program &program,
                              const ConstantPieces &constants) {
  if (Status status = verifyProgram(program, {}, constants.size);
      !status.isOk())
    return std::move(status).withContext("the program to write is invalid");
  Result<FileWriter> writer = FileWriter::create(path);
  if (!writer)
    return writer.status();
  if (Status status = serialize(program, constants, *writer); !status.isOk())
    return status;
  return writer->commit();
}

Status tripy::writeExecutable(const std::string &path, const Program &program) {
  ConstantPiece whole{0, program.constants};
  return writeExecutable(path, program,
                         {program.constants.size(), {&whole, 1}});
}
