// SPDX-License-Identifier: Apache-2.0

// The files of the script: one that stands alone, or a file of a bundle and the modules that it can
// require, of which one is in the editor.

import { element } from "./element.js";
import { ask } from "./engine.js";

// Files chooses the file in an editor. change is called when it is another one, fail with what went
// wrong.
export class Files {
  constructor({ select, label, editor, change, fail }) {
    Object.assign(this, { select, label, editor, change, fail });
    this.modules = new Map();
    this.load({ script: "", language: "lua" });
    select.addEventListener("change", () => this.show(select.value));
  }

  // load shows the script of a request.
  load({ script, language, bundle, file, files }) {
    this.bundle = bundle || "";
    this.language = language;
    this.file = this.shown = this.bundle ? file : "";
    // edited are the texts of files by name, originals those that the modules have in the bundle.
    this.edited = new Map(Object.entries(files || {}));
    this.originals = new Map();
    this.editor.open(script || "", this.languageOf(this.shown));
    this.label.hidden = !this.bundle;
    this.list();
    if (this.bundle) {
      this.fetch(this.bundle);
    }
  }

  get inBundle() {
    return this.bundle !== "";
  }

  // name returns what the engine calls the file in the editor.
  get name() {
    return this.bundle ? `${this.bundle}/${this.shown}` : `script.${this.language}`;
  }

  // texts returns the script and what else of the bundle was changed, as parts of a request.
  get texts() {
    if (!this.bundle) {
      return { script: this.editor.text };
    }
    this.edited.set(this.shown, this.editor.text);
    const files = {};
    for (const [file, text] of this.edited) {
      if (file !== this.file && text !== this.originals.get(file)) {
        files[file] = text;
      }
    }
    const some = Object.keys(files).length > 0 ? { files } : {};
    return { script: this.edited.get(this.file), bundle: this.bundle, file: this.file, ...some };
  }

  // follow shows the file that the engine calls by a name, if it is one of these.
  follow(name) {
    const file = this.bundle && name.startsWith(`${this.bundle}/`) ? name.slice(this.bundle.length + 1) : "";
    if (file && file !== this.shown && (this.edited.has(file) || this.originals.has(file))) {
      this.show(file);
    }
  }

  show(file) {
    this.edited.set(this.shown, this.editor.text);
    this.shown = this.select.value = file;
    this.editor.open(this.edited.get(file) ?? this.originals.get(file), this.languageOf(file));
    this.change();
  }

  languageOf(file) {
    return file ? file.slice(file.lastIndexOf(".") + 1) : this.language;
  }

  list() {
    const others = new Set([...this.originals.keys(), ...this.edited.keys()]);
    others.delete(this.file);
    const all = [this.file, ...[...others].sort()];
    this.select.replaceChildren(...all.map((file) => element("option", { value: file, textContent: `${this.bundle}/${file}` })));
    this.select.value = this.shown;
  }

  // fetch reads the modules of the bundle, so that they can be chosen.
  async fetch(bundle) {
    try {
      const modules = await ask("modules", { bundle });
      if (bundle === this.bundle) {
        this.originals = new Map(modules.map((m) => [m.file, m.script]));
        this.list();
        this.change(); // what equals its original is no part of the request any more
      }
    } catch (error) {
      this.fail(`The modules cannot be read: ${error.message}`);
    }
  }
}
