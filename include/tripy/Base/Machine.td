//===- Machine.td - What a constant about a GPU has to say --*- TableGen -*-===//
//
// Classes of Machines.td. tripy-tblgen refuses a constant without unit or text,
// and a value without source.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_MACHINE_TD
#define TRIPY_BASE_MACHINE_TD

/// Where a value is from.
class Source<string kind, string where = "", string date = ""> {
  string Kind = kind;
  string Where = where;
  string Date = date;
}
/// A document of the GPU's maker.
class Doc<string where> : Source<"doc", where>;
/// A measurement of this value: its day, and the file with it.
class Measured<string date, string where> : Source<"measured", where, date>;
/// The number with which a model agrees with measurements of something else.
class Fit<string where> : Source<"fit", where>;
/// Neither.
def Guess : Source<"guess">;

/// A member of the C++ struct: int64_t, double, or an array of 8, the last of
/// which stands for more.
class Constant<string type, string unit = "", string text = ""> {
  string Type = type;
  string Unit = unit;
  string Text = text;
  /// Others than the chip that states it have it as well, as a guess.
  bit Inherited = true;
}

class Fact<Constant constant, string value, Source source> {
  Constant OfConstant = constant;
  string Value = value;
  Source From = source;
}

/// An architecture, by its name: "sm_90a".
class Machine<string cards, list<Fact> facts> {
  /// Those that values are of.
  string Cards = cards;
  list<Fact> Facts = facts;
  /// What is not stated is as there, and a guess.
  Machine Like = ?;
  /// But it is the same card, and no guess.
  bit SameCard = false;
}

#endif // TRIPY_BASE_MACHINE_TD
