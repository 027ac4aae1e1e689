//===- Decoder.cpp - From statements to instructions ------------*- C++ -*-===//
#include "Decoder.h"

#include <algorithm>

namespace tripy::emulator {

namespace {
struct TypeRow {
  std::string_view name;
  Type type;
  uint8_t bytes;
};
constexpr TypeRow types[] = {
    {"u8", Type::U8, 1},         {"u16", Type::U16, 2},
    {"u32", Type::U32, 4},       {"u64", Type::U64, 8},
    {"s8", Type::S8, 1},         {"s16", Type::S16, 2},
    {"s32", Type::S32, 4},       {"s64", Type::S64, 8},
    {"b8", Type::B8, 1},         {"b16", Type::B16, 2},
    {"b32", Type::B32, 4},       {"b64", Type::B64, 8},
    {"b128", Type::B128, 16},    {"f16", Type::F16, 2},
    {"f16x2", Type::F16x2, 4},   {"bf16", Type::BF16, 2},
    {"bf16x2", Type::BF16x2, 4}, {"f32", Type::F32, 4},
    {"f64", Type::F64, 8},       {"tf32", Type::TF32, 4},
    {"e4m3", Type::E4M3, 1},     {"e5m2", Type::E5M2, 1},
    {"e4m3x2", Type::E4M3x2, 2}, {"e5m2x2", Type::E5M2x2, 2},
    {"u16x2", Type::U16x2, 4},   {"s16x2", Type::S16x2, 4},
    {"pred", Type::Pred, 0}};
constexpr uint32_t registerAlignment = 64;
} // namespace

Type typeNamed(std::string_view name) {
  for (const TypeRow &row : types)
    if (row.name == name)
      return row.type;
  return Type::None;
}

uint32_t bytesOf(Type type) {
  for (const TypeRow &row : types)
    if (row.type == type)
      return row.bytes;
  return 0;
}

bool isSigned(Type type) { return type >= Type::S8 && type <= Type::S64; }
bool isFloat(Type type) { return type >= Type::F16 && type <= Type::E5M2x2; }

Decoder::Decoder(
    KernelText &text, const Statement &statement, Body &body,
    std::map<std::tuple<uint8_t, uint64_t, bool>, uint32_t> &constants)
    : statement(statement), body(body), text(text), constants(constants) {
  std::string_view rest = statement.opcode;
  while (true) {
    size_t dot = rest.find('.');
    parts.push_back(rest.substr(0, dot));
    if (dot == rest.npos)
      break;
    rest.remove_prefix(dot + 1);
  }
  used.assign(parts.size(), false);
  used[0] = true;
  out.line = statement.line;
  if (statement.guarded) {
    out.guard = statement.guard.offset;
    out.guardNegated = statement.guardNegated;
  }
}

bool Decoder::fail(std::string_view why) {
  if (error.isOk())
    error = Status(Code::Unsupported,
                   concat("PTX line ", statement.line, ": '",
                          printable(statement.opcode, 120), "': ", why));
  return false;
}

bool Decoder::take(std::string_view part) {
  for (size_t i = 1; i < parts.size(); ++i)
    if (!used[i] && parts[i] == part)
      return used[i] = true;
  return false;
}

int Decoder::takeOneOf(std::initializer_list<std::string_view> candidates) {
  int index = 0;
  for (std::string_view candidate : candidates) {
    if (take(candidate))
      return index;
    ++index;
  }
  return -1;
}

Type Decoder::takeType() {
  for (size_t i = 1; i < parts.size(); ++i) {
    Type type = used[i] ? Type::None : typeNamed(parts[i]);
    if (type != Type::None) {
      used[i] = true;
      return type;
    }
  }
  return Type::None;
}

std::string_view Decoder::takePrefix(std::string_view prefix) {
  for (size_t i = 1; i < parts.size(); ++i)
    if (!used[i] && parts[i].starts_with(prefix)) {
      used[i] = true;
      return parts[i];
    }
  return {};
}

bool Decoder::finish() {
  if (!error.isOk())
    return false;
  for (size_t i = 0; i < parts.size(); ++i)
    if (!used[i])
      return fail(concat("'.", printable(parts[i]), "' is not known here"));
  return true;
}

bool Decoder::operands(size_t least, size_t maximum) {
  if (count() >= least && count() <= maximum)
    return true;
  return fail(concat(count(), " operands"));
}

uint32_t Decoder::constant(uint32_t bytes, uint64_t value, bool dynamic) {
  if (bytes == 0)
    value = value ? ~0u : 0;
  else if (bytes < 8)
    value &= (uint64_t(1) << (8 * bytes)) - 1;
  auto [at, isNew] =
      constants.insert({{uint8_t(bytes), value, dynamic}, body.registerBytes});
  if (isNew) {
    body.constants.push_back(
        {body.registerBytes, uint8_t(bytes), value, dynamic});
    body.registerBytes += std::max(registerAlignment, 32 * bytes);
  }
  return at->second;
}

uint32_t Decoder::special(Special special, uint32_t bytes) {
  for (const Body::FixedRegister &fixed : body.specials)
    if (fixed.special == special && fixed.bytes == bytes)
      return fixed.offset;
  body.specials.push_back({special, body.registerBytes, uint8_t(bytes)});
  body.registerBytes += std::max(registerAlignment, 32 * bytes);
  return body.specials.back().offset;
}

bool Decoder::source(const Operand &operand, uint32_t bytes, uint32_t &offset) {
  switch (operand.kind) {
  case OperandKind::Register:
    if (operand.reg.bytes != bytes)
      return fail(concat("'", operand.name, "' has ", 8 * operand.reg.bytes,
                         " bits, ", 8 * bytes, " are needed"));
    if (operand.negated)
      return fail("'!' is not known here");
    offset = operand.reg.offset;
    return true;
  case OperandKind::Integer:
    offset = constant(bytes, operand.value);
    return true;
  case OperandKind::Float32:
    if (bytes != 4)
      return fail("a 32-bit constant for an operand of another size");
    offset = constant(4, operand.value);
    return true;
  case OperandKind::Float64:
    if (bytes == 4)
      offset = constant(4, std::bit_cast<uint32_t>(static_cast<float>(
                               std::bit_cast<double>(operand.value))));
    else if (bytes == 8)
      offset = constant(8, operand.value);
    else
      return fail("a 64-bit constant for an operand of another size");
    return true;
  case OperandKind::Special:
    if (bytes < 4 || operand.special > Special::LastFixed)
      return fail(concat("'", operand.name, "' is not known here"));
    offset = special(operand.special, bytes);
    return true;
  case OperandKind::Address: {
    bool shared = operand.space == Space::Shared;
    offset = constant(bytes, operand.value + (shared ? sharedStart : 0),
                      operand.dynamicShared);
    return bytes >= 4 || fail("an address needs 32 or 64 bits");
  }
  default:
    return fail("this operand is not known here");
  }
}

bool Decoder::source(size_t index, uint32_t bytes, uint32_t &offset) {
  if (index >= count())
    return fail("an operand is missing");
  return source(operand(index), bytes, offset);
}

bool Decoder::destination(const Operand &operand, uint32_t bytes,
                          uint32_t &offset) {
  if (operand.kind == OperandKind::Sink) {
    offset = body.scratch;
    return true;
  }
  if (operand.kind != OperandKind::Register || operand.reg.bytes != bytes ||
      operand.negated)
    return fail(
        concat("the destination must be a register of ", 8 * bytes, " bits"));
  offset = operand.reg.offset;
  return true;
}

bool Decoder::destination(size_t index, uint32_t bytes, uint32_t &offset) {
  if (index >= count())
    return fail("an operand is missing");
  return destination(operand(index), bytes, offset);
}

bool Decoder::wide(const Operand &operand, uint32_t least, bool isSource,
                   uint32_t &offset, uint32_t &bytes) {
  if (operand.kind == OperandKind::Register) {
    bytes = operand.reg.bytes;
    if (bytes < least)
      return fail(concat("'", operand.name, "' is too small"));
    offset = operand.reg.offset;
    return true;
  }
  bytes = std::max(least, 2u);
  return isSource ? source(operand, bytes, offset)
                  : destination(operand, bytes, offset);
}

bool Decoder::anyAddress(const Operand &operand, uint32_t &base, bool &isWide) {
  isWide = operand.kind != OperandKind::Register || operand.reg.bytes != 4;
  return source(operand, isWide ? 8 : 4, base);
}

bool Decoder::addressInto(const Operand &memory, uint32_t &base, bool &isWide,
                          int64_t &offset) {
  if (memory.kind != OperandKind::Memory)
    return fail("expected an address in brackets");
  offset = memory.value;
  return anyAddress(memory.elements[0], base, isWide);
}

bool Decoder::address(size_t index) {
  if (index >= count())
    return fail("an operand is missing");
  return addressInto(operand(index), out.a, out.wideAddress, out.immediate);
}

bool Decoder::integer(size_t index, int64_t &value) {
  if (index >= count() || operand(index).kind != OperandKind::Integer)
    return fail(concat("operand ", index + 1, " must be a number"));
  value = operand(index).value;
  return true;
}

uint32_t Decoder::list(const std::vector<uint32_t> &offsets) {
  uint32_t start = body.lists.size();
  body.lists.insert(body.lists.end(), offsets.begin(), offsets.end());
  return start;
}

bool Decoder::label(size_t index, int64_t &target) {
  if (index >= count() || operand(index).kind != OperandKind::Label)
    return fail("expected a label");
  return label(operand(index).name, target);
}

bool Decoder::label(const std::string &name, int64_t &target) {
  for (uint32_t scope = statement.scope;; scope = text.parents[scope]) {
    auto at = text.labels.find({scope, name});
    if (at != text.labels.end()) {
      target = at->second;
      return true;
    }
    if (scope == 0)
      return fail(concat("unknown label '", printable(name), "'"));
  }
}

bool Decoder::branchTargets(size_t index, uint32_t &list, uint32_t &count) {
  auto found = text.branchTargets.find(operand(index).name);
  if (found == text.branchTargets.end())
    return fail("expected the label of a .branchtargets");
  std::vector<uint32_t> targets;
  for (const std::string &name : found->second) {
    int64_t target = 0;
    if (!label(name, target))
      return false;
    targets.push_back(uint32_t(target));
  }
  list = this->list(targets);
  count = targets.size();
  return true;
}

static const std::map<std::string_view, DecodeFunction> &opcodes() {
  static const auto table = [] {
    std::map<std::string_view, DecodeFunction> built;
    addIntegerOpcodes(built);
    addBitOpcodes(built);
    addFloatOpcodes(built);
    addCompareOpcodes(built);
    addConvertOpcodes(built);
    addMemoryOpcodes(built);
    addAtomicOpcodes(built);
    addControlOpcodes(built);
    addWarpOpcodes(built);
    addBarrierOpcodes(built);
    addMbarrierOpcodes(built);
    addAsyncOpcodes(built);
    addWgmmaOpcodes(built);
    addMatrixOpcodes(built);
    return built;
  }();
  return table;
}

static void finishBody(KernelText &text, std::shared_ptr<Body> body) {
  uint32_t end = sharedStart + text.function.staticSharedBytes;
  uint32_t align = text.dynamicAlignment;
  body->dynamicBase = (end + align - 1) / align * align;
  for (Constant &constant : body->constants)
    if (constant.dynamicShared)
      constant.value = constant.value - sharedStart + body->dynamicBase;
  body->localBytes = (text.localBytes + 15) / 16 * 16;
  text.function.body = std::move(body);
}

Status decodeKernel(KernelText &text) {
  auto body = std::make_shared<Body>();
  std::map<std::tuple<uint8_t, uint64_t, bool>, uint32_t> constants;
  body->scratch = text.registerBytes;
  body->registerBytes = text.registerBytes + 256;
  // The end of the text ends the kernel, as a ret does.
  Statement last;
  last.opcode = "ret";
  last.line = text.statements.empty() ? 0 : text.statements.back().line;
  text.statements.push_back(last);
  for (const Statement &statement : text.statements) {
    Decoder decoder(text, statement, *body, constants);
    auto at = opcodes().find(decoder.head());
    if (at == opcodes().end())
      decoder.fail("unknown instruction");
    else if (at->second(decoder))
      decoder.finish();
    else
      decoder.fail("this form of the instruction is not known");
    if (!decoder.status().isOk())
      return decoder.status();
    body->code.push_back(decoder.out);
    body->opcodes.push_back(statement.opcode);
  }
  finishBody(text, std::move(body));
  return Status::ok();
}

} // namespace tripy::emulator
