//===- Machine.td - Classes of the constants about GPUs -----*- TableGen -*-===//
//
// Classes of Machines.td. tripy-tblgen rejects a constant without unit or text,
// and a value without source.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_MACHINE_TD
#define TRIPY_BASE_MACHINE_TD

/// The source of a value.
class Source<string kind, string where = "", string date = ""> {
  string Kind = kind;
  string Where = where;
  string Date = date;
}
/// A document of the GPU's maker.
class Doc<string where> : Source<"doc", where>;
/// A measurement of this value: its day, and the file with it.
class Measured<string date, string where> : Source<"measured", where, date>;
/// A number fitted so that a model agrees with measurements of something else.
class Fit<string where> : Source<"fit", where>;
/// None of these.
def Guess : Source<"guess">;

/// A member of the C++ struct: int64_t, double, or an array of 8, whose last
/// element also applies to higher indices.
class Constant<string type, string unit = "", string text = ""> {
  string Type = type;
  string Unit = unit;
  string Text = text;
  /// Chips that do not state it inherit it, as a guess.
  bit Inherited = true;
}

class Fact<Constant constant, string value, Source source> {
  Constant OfConstant = constant;
  string Value = value;
  Source From = source;
}

/// An architecture, by its name: "sm_90a".
class Machine<string cards, list<Fact> facts> {
  /// The cards to which the values apply.
  string Cards = cards;
  list<Fact> Facts = facts;
  /// Values that are not stated are inherited from it, as guesses.
  Machine Like = ?;
  /// It is the same card: inherited values are not guesses.
  bit SameCard = false;
}

#endif // TRIPY_BASE_MACHINE_TD
