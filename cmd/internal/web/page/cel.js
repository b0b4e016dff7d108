// SPDX-License-Identifier: Apache-2.0

// The colors of CEL, as a mode for StreamLanguage of CodeMirror.

const atoms = new Set(["true", "false", "null"]);
const operators = /^(?:&&|\|\||==|!=|<=|>=|[-+*\/%<>!?:])/;

export const cel = {
  name: "cel",
  languageData: { commentTokens: { line: "//" }, closeBrackets: { brackets: ["(", "[", "{", "'", '"'] } },
  startState: () => ({ quote: "" }),
  token(stream, state) {
    if (state.quote) {
      return inText(stream, state);
    }
    if (stream.eatSpace()) {
      return null;
    }
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    const quote = stream.match(/^[rRbB]{0,2}("""|'''|"|')/);
    if (quote) {
      state.quote = quote[1];
      return inText(stream, state);
    }
    if (stream.match(/^(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)u?/)) {
      return "number";
    }
    const word = stream.match(/^[A-Za-z_]\w*/);
    if (word) {
      return kindOf(word[0], stream);
    }
    if (stream.match(operators)) {
      return "operator";
    }
    stream.next();
    return "punctuation";
  },
};

function kindOf(word, stream) {
  if (atoms.has(word)) {
    return "atom";
  }
  if (word === "in") {
    return "keyword";
  }
  return stream.peek() === "(" ? "variableName.function" : "variableName";
}

// inText reads on to the end of a text or of the line.
function inText(stream, state) {
  while (!stream.eol()) {
    if (stream.match(state.quote)) {
      state.quote = "";
      return "string";
    }
    if (stream.next() === "\\") {
      stream.next();
    }
  }
  if (state.quote.length === 1) {
    state.quote = "";
  }
  return "string";
}
