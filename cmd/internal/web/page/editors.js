// SPDX-License-Identifier: Apache-2.0

// The editors of the page: CodeMirror with the colors of style.css, problems that are underlined,
// and coverage beside the lines.

import {
  Compartment, Decoration, EditorState, EditorView, GutterMarker, HighlightStyle, RangeSet, StateEffect, StateField, StreamLanguage,
  bracketMatching, defaultKeymap, drawSelection, gutter, highlightActiveLine, highlightSelectionMatches, highlightSpecialChars,
  history, historyKeymap, indentOnInput, indentUnit, keymap, lineNumbers, lintKeymap, lua, search, searchKeymap,
  setDiagnostics, syntaxHighlighting, tags, yaml,
} from "./codemirror.js";
import { cel } from "./cel.js";

const languages = {
  yaml: yaml(),
  lua: StreamLanguage.define(lua),
  cel: StreamLanguage.define(cel),
};

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier], class: "t-keyword" },
  { tag: [tags.string, tags.special(tags.string)], class: "t-string" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], class: "t-number" },
  { tag: [tags.comment, tags.meta], class: "t-comment" },
  { tag: [tags.definition(tags.propertyName), tags.propertyName], class: "t-key" },
  { tag: [tags.function(tags.variableName), tags.standard(tags.variableName)], class: "t-function" },
]);

// Editor is one text.
export class Editor {
  // parent is the element that the editor fills, change is called whenever the text changes, and
  // label is the id of the element that names it.
  constructor({ parent, language, label, coverage, change }) {
    this.language = new Compartment();
    this.state = (doc, language) =>
      EditorState.create({
        doc,
        extensions: [
          coverage ? [coverageField, coverageGutter, stepField] : [],
          lineNumbers(), highlightSpecialChars(), history(), drawSelection(), highlightActiveLine(), highlightSelectionMatches(),
          indentOnInput(), bracketMatching(), search({ top: true }), indentUnit.of("  "), EditorState.tabSize.of(2),
          syntaxHighlighting(colors), this.language.of(languages[language]),
          // Tab moves on, so that the page can be left by the keyboard.
          keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
          EditorView.contentAttributes.of({ "aria-labelledby": label, spellcheck: "false" }),
          EditorView.updateListener.of((update) => update.docChanged && change()),
        ],
      });
    this.view = new EditorView({ parent, state: this.state("", language) });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    if (text !== this.text) {
      this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
    }
  }

  // open shows another file: what is undone later is not of the file before.
  open(text, language) {
    this.view.setState(this.state(text, language));
  }

  // speak sets the language: yaml, lua or cel.
  speak(language) {
    this.view.dispatch({ effects: this.language.reconfigure(languages[language]) });
  }

  // mark underlines problems in place of those before.
  mark(problems) {
    const found = problems.map((p) => {
      const line = this.line(p.line);
      const from = Math.min(line.from + (p.start || 0), line.to);
      return { from, to: Math.max(from, Math.min(line.from + (p.end || 0), line.to)), severity: "error", message: p.message };
    });
    this.view.dispatch(setDiagnostics(this.view.state, found));
  }

  // cover shows which lines ran, {lines, missed}; null shows nothing.
  cover(coverage) {
    this.view.dispatch({ effects: setCoverage.of(coverage) });
  }

  // step shows which line a trace is at; 0 shows none.
  step(number) {
    const effects = [setStep.of(number)];
    if (number) {
      effects.push(EditorView.scrollIntoView(this.line(number).from, { y: "nearest", yMargin: 40 }));
    }
    this.view.dispatch({ effects });
  }

  // show goes to a problem.
  show(problem) {
    const line = this.line(problem.line);
    this.view.dispatch({ selection: { anchor: Math.min(line.from + (problem.start || 0), line.to) }, scrollIntoView: true });
    this.view.focus();
  }

  line(number) {
    return this.view.state.doc.line(Math.min(Math.max(number || 1, 1), this.view.state.doc.lines));
  }
}

const setStep = StateEffect.define();
const stepLine = Decoration.line({ class: "cm-step" });

const stepField = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    marks = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setStep)) {
        const { doc } = transaction.state;
        marks = effect.value > 0 && effect.value <= doc.lines ? Decoration.set([stepLine.range(doc.line(effect.value).from)]) : Decoration.none;
      }
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const setCoverage = StateEffect.define();

class CoverageMarker extends GutterMarker {
  constructor(ran) {
    super();
    this.elementClass = ran ? "ran" : "missed";
    this.title = ran ? "ran" : "did not run";
  }

  eq(other) {
    return this.elementClass === other.elementClass;
  }

  toDOM() {
    const mark = document.createElement("span");
    mark.title = this.title;
    return mark;
  }
}

const ran = new CoverageMarker(true);
const missed = new CoverageMarker(false);

const coverageField = StateField.define({
  create: () => RangeSet.empty,
  update(marks, transaction) {
    marks = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setCoverage)) {
        marks = marksOf(effect.value, transaction.state.doc);
      }
    }
    return marks;
  },
});

function marksOf(coverage, doc) {
  const lines = (coverage?.lines || []).filter((line) => line <= doc.lines);
  return RangeSet.of(lines.map((line) => (coverage.missed.includes(line) ? missed : ran).range(doc.line(line).from)));
}

const coverageGutter = gutter({ class: "cm-coverage", markers: (view) => view.state.field(coverageField) });
