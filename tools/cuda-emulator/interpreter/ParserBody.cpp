//===- ParserBody.cpp - Statements and operands of a kernel -----*- C++ -*-===//
#include "Parser.h"

#include <bit>
#include <cstdlib>
#include <utility>

namespace tripy::emulator {

namespace {
/// Every register starts at a multiple of this, so that lane loops may use
/// vector loads.
constexpr uint32_t registerAlignment = 64;

const std::map<std::string_view, Special> &specialRegisters() {
  using enum Special;
  static const std::map<std::string_view, Special> table = {
      {"%tid.x", TidX},
      {"%tid.y", TidY},
      {"%tid.z", TidZ},
      {"%ntid.x", NtidX},
      {"%ntid.y", NtidY},
      {"%ntid.z", NtidZ},
      {"%ctaid.x", CtaidX},
      {"%ctaid.y", CtaidY},
      {"%ctaid.z", CtaidZ},
      {"%nctaid.x", NctaidX},
      {"%nctaid.y", NctaidY},
      {"%nctaid.z", NctaidZ},
      {"%laneid", LaneId},
      {"%warpid", WarpId},
      {"%nwarpid", NwarpId},
      {"%smid", SmId},
      {"%nsmid", NsmId},
      {"%gridid", GridId},
      {"WARP_SZ", WarpSize},
      {"%cluster_ctaid.x", ClusterCtaidX},
      {"%cluster_ctaid.y", ClusterCtaidY},
      {"%cluster_ctaid.z", ClusterCtaidZ},
      {"%cluster_nctaid.x", ClusterNctaidX},
      {"%cluster_nctaid.y", ClusterNctaidY},
      {"%cluster_nctaid.z", ClusterNctaidZ},
      {"%cluster_ctarank", ClusterCtarank},
      {"%cluster_nctarank", ClusterNctarank},
      {"%clusterid.x", ClusteridX},
      {"%clusterid.y", ClusteridY},
      {"%clusterid.z", ClusteridZ},
      {"%nclusterid.x", NclusteridX},
      {"%nclusterid.y", NclusteridY},
      {"%nclusterid.z", NclusteridZ},
      {"%is_explicit_cluster", IsExplicitCluster},
      {"%lanemask_eq", LanemaskEq},
      {"%lanemask_lt", LanemaskLt},
      {"%lanemask_le", LanemaskLe},
      {"%lanemask_gt", LanemaskGt},
      {"%lanemask_ge", LanemaskGe},
      {"%dynamic_smem_size", DynamicSmemSize},
      {"%total_smem_size", TotalSmemSize},
      {"%clock", Clock},
      {"%clock64", Clock64},
      {"%clock_hi", ClockHi},
      {"%globaltimer", GlobalTimer}};
  return table;
}
} // namespace

bool Parser::body() {
  size_t depth = scopes.size();
  while (!token.is('}') || scopes.size() > depth) {
    if (token.kind == TokenKind::End)
      return fail("the text ends inside a kernel");
    if (!bodyItem())
      return false;
  }
  advance();
  return true;
}

bool Parser::bodyItem() {
  if (take('{')) {
    uint32_t number = kernel.parents.size();
    kernel.parents.push_back(scopes.back().number);
    scopes.emplace_back();
    scopes.back().number = number;
    return true;
  }
  if (take('}')) {
    scopes.pop_back();
    return true;
  }
  if (take(';'))
    return true;
  if (token.is(".loc") || token.is(".file")) {
    lexer.skipLine();
    advance();
    return true;
  }
  if (token.is(".pragma"))
    return pragma();
  if (token.is(".reg"))
    return registers();
  if (token.is(".shared") || token.is(".local")) {
    Space space = token.is(".shared") ? Space::Shared : Space::Local;
    advance();
    return variable(space, false);
  }
  return nameOrStatement();
}

/// `.pragma "used_bytes_mask 0x3ff";`, about the load behind it; others say
/// nothing about results.
bool Parser::pragma() {
  advance();
  constexpr std::string_view wanted = "\"used_bytes_mask ";
  if (token.text.starts_with(wanted))
    usedBytes = std::strtoull(
        std::string(token.text.substr(wanted.size())).c_str(), nullptr, 0);
  return skipStatement();
}

/// `.reg .b32 %r<8>, x;`
bool Parser::registers() {
  advance();
  uint32_t bytes = fundamentalBytes(token.text);
  if (!bytes && !token.is(".pred"))
    return fail(concat("unknown type '", printable(token.text), "'"),
                Code::Unsupported);
  if (bytes == 1 || bytes == 16)
    return fail("registers of 8 or 128 bits", Code::Unsupported);
  advance();
  return registerNames(bytes);
}

bool Parser::registerNames(uint8_t bytes) {
  do {
    std::string name(token.text);
    if (token.kind != TokenKind::Name)
      return fail("expected the name of a register");
    advance();
    if (!take('<')) {
      scopes.back().registers[name] = newRegister(bytes);
      continue;
    }
    int64_t count = 0;
    if (!integer(count) || !expect('>'))
      return false;
    if (count < 0 || count > (1 << 20))
      return fail("too many registers");
    scopes.back().ranges[name] = {uint32_t(count), newRegister(bytes, count)};
  } while (take(','));
  return expect(';');
}

static uint32_t registerStride(uint8_t bytes) {
  return std::max<uint32_t>(registerAlignment, 32 * bytes);
}

Register Parser::newRegister(uint8_t bytes, uint32_t count) {
  Register first{kernel.registerBytes, bytes};
  kernel.registerBytes += count * registerStride(bytes);
  kernel.function.registers += count;
  return first;
}

bool Parser::findRegister(std::string_view name, Register &reg) const {
  size_t digits = name.size();
  while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  uint64_t number = 0;
  for (char c : name.substr(digits))
    number = std::min<uint64_t>(number * 10 + (c - '0'), 1 << 30);
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto exact = scope->registers.find(name);
    if (exact != scope->registers.end()) {
      reg = exact->second;
      return true;
    }
    auto range = scope->ranges.find(name.substr(0, digits));
    if (digits < name.size() && range != scope->ranges.end() &&
        number < range->second.first) {
      reg = range->second.second;
      reg.offset += number * registerStride(reg.bytes);
      return true;
    }
  }
  return false;
}

/// A label, or an instruction without a guard.
bool Parser::nameOrStatement() {
  Statement result;
  result.line = token.line;
  result.scope = scopes.back().number;
  result.usedBytes = std::exchange(usedBytes, ~uint64_t(0));
  if (take('@')) {
    result.guarded = true;
    result.guardNegated = take('!');
    if (!findRegister(token.text, result.guard) || !result.guard.isPredicate())
      return fail(concat("'", printable(token.text), "' is no predicate"));
    advance();
  }
  if (token.kind != TokenKind::Name)
    return fail(
        concat("expected an instruction, found '", printable(token.text), "'"));
  result.opcode = token.text;
  advance();
  if (!result.guarded && take(':')) {
    uint32_t index = kernel.statements.size();
    if (!kernel.labels.insert({{result.scope, result.opcode}, index}).second)
      return fail(concat("label '", result.opcode, "' twice"));
    latestLabel = result.opcode;
    return true;
  }
  // White space may stand in front of a modifier.
  while (token.kind == TokenKind::Name && token.text[0] == '.') {
    result.opcode += token.text;
    advance();
  }
  if (result.opcode == ".branchtargets") {
    for (const Operand &target :
         statement(result) ? result.operands : std::vector<Operand>())
      kernel.branchTargets[latestLabel].push_back(target.name);
    return error.isOk();
  }
  if (result.opcode[0] == '.')
    return fail(concat("unknown directive '", printable(result.opcode), "'"),
                Code::Unsupported);
  if (!statement(result))
    return false;
  kernel.statements.push_back(std::move(result));
  return true;
}

bool Parser::statement(Statement &result) {
  while (!token.is(';')) {
    Operand next;
    if (!operand(next))
      return false;
    if (take('|'))
      result.pairs |= 1u << result.operands.size();
    else if (!token.is(';') && !expect(','))
      return false;
    result.operands.push_back(std::move(next));
  }
  advance();
  return true;
}

bool Parser::operand(Operand &result) {
  if (take('['))
    return memoryOperand(result);
  if (take('{'))
    return vectorOperand(result);
  if (token.kind == TokenKind::Name)
    return named(result);
  return number(result);
}

bool Parser::number(Operand &result) {
  if (take('!')) {
    result.negated = true;
    return named(result);
  }
  bool negative = take('-');
  result.value = token.value;
  if (token.kind == TokenKind::Integer) {
    result.kind = OperandKind::Integer;
    if (negative)
      result.value = -result.value;
  } else if (token.kind == TokenKind::Float32 ||
             token.kind == TokenKind::Float64) {
    bool single = token.kind == TokenKind::Float32;
    result.kind = single ? OperandKind::Float32 : OperandKind::Float64;
    if (negative)
      result.value ^= int64_t(uint64_t(1) << (single ? 31 : 63));
  } else {
    return fail(
        concat("expected an operand, found '", printable(token.text), "'"));
  }
  advance();
  return true;
}

/// `[base]`, `[base+4]`, `[map, {c0, c1}]`, `[{...}]` is not known.
bool Parser::memoryOperand(Operand &result) {
  result.kind = OperandKind::Memory;
  Operand base;
  if (!operand(base))
    return false;
  if (base.kind == OperandKind::Label)
    return fail(concat("unknown symbol '", printable(base.name), "'"));
  result.elements.push_back(std::move(base));
  int64_t offset = 0;
  if (take('+')) {
    if (!integer(offset))
      return false;
  } else if (token.is('-') && !integer(offset)) {
    return false;
  }
  result.value = offset;
  while (take(',')) {
    Operand more;
    if (!operand(more))
      return false;
    result.elements.push_back(std::move(more));
  }
  return expect(']');
}

bool Parser::vectorOperand(Operand &result) {
  result.kind = OperandKind::Vector;
  while (!token.is('}')) {
    Operand element;
    if (!operand(element) || (!token.is('}') && !expect(',')))
      return false;
    result.elements.push_back(std::move(element));
  }
  return expect('}');
}

bool Parser::findSymbol(std::string_view name, Operand &result) {
  Symbol *symbol = nullptr;
  for (auto scope = scopes.rbegin(); scope != scopes.rend() && !symbol; ++scope)
    if (auto at = scope->symbols.find(name); at != scope->symbols.end())
      symbol = &at->second;
  if (!symbol) {
    auto at = global.symbols.find(name);
    if (at == global.symbols.end())
      return false;
    if (!at->second.unplaced) {
      symbol = &at->second;
    } else {
      // Its place is this kernel's own.
      symbol = &(scopes[0].symbols[std::string(name)] = at->second);
    }
  }
  if (symbol->unplaced && symbol->dynamicShared) {
    kernel.dynamicAlignment =
        std::max(kernel.dynamicAlignment, symbol->alignment);
    symbol->unplaced = false;
  } else if (symbol->unplaced) {
    uint32_t &used = symbol->space == Space::Shared
                         ? kernel.function.staticSharedBytes
                         : kernel.localBytes;
    used =
        (used + symbol->alignment - 1) / symbol->alignment * symbol->alignment;
    symbol->value = used;
    used += symbol->bytes;
    symbol->unplaced = false;
  }
  result.kind = OperandKind::Address;
  result.space = symbol->space;
  result.value = symbol->value;
  result.dynamicShared = symbol->dynamicShared;
  return true;
}

/// A register, a special register, a symbol, "_", or else a label.
bool Parser::named(Operand &result) {
  result.name = token.text;
  if (result.name == "_") {
    result.kind = OperandKind::Sink;
  } else if (findRegister(token.text, result.reg)) {
    result.kind = OperandKind::Register;
  } else if (auto at = specialRegisters().find(token.text);
             at != specialRegisters().end()) {
    result.kind = OperandKind::Special;
    result.special = at->second;
  } else if (!findSymbol(token.text, result)) {
    if (token.text[0] == '%')
      return fail(concat("unknown register '", printable(token.text), "'"));
    result.kind = OperandKind::Label;
  }
  if (result.negated &&
      (result.kind != OperandKind::Register || !result.reg.isPredicate()))
    return fail("'!' before something that is no predicate");
  advance();
  return true;
}

} // namespace tripy::emulator
