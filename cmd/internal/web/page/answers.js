// SPDX-License-Identifier: Apache-2.0

// The answers of the operations, as elements.

import { element } from "./element.js";
import { Stepper } from "./trace.js";

// Answers shows what became of an input in a panel. go is called with a problem to go to it, trace
// with the operation whose run is to be traced, "" for none, and step with the step that is shown
// of it, or null.
export class Answers {
  constructor(panel, { go, trace, step }) {
    this.panel = panel;
    this.go = go;
    this.trace = trace;
    this.stepper = new Stepper(step);
    this.format = "yaml";
    this.answer = { operations: [], problems: [] };
    // open are the names of the operations whose whole object is shown.
    this.open = new Set();
  }

  // show shows an answer; without one it shows that before, in another format.
  show(answer = this.answer) {
    this.answer = answer;
    if (!answer.operations.some((a) => a.trace)) {
      this.stepper.clear();
    }
    const general = answer.problems.filter((p) => !p.operation).map((p) => this.problem(p));
    const asked = answer.operations.map((a) => this.asked(a));
    const focused = this.panel.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
    this.panel.replaceChildren(...general, ...asked);
    if (focused) {
      this.panel.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
    }
  }

  asked(a) {
    const article = element("article", { className: "answer" + (a.problem ? " failed" : "") });
    article.dataset.operation = a.operation;
    const head = element("div", { className: "head" }, element("h3", { textContent: a.operation, title: a.doc }), this.gas(a), this.button(a));
    article.append(head);
    if (a.trace) {
      article.append(this.stepper.show(a.operation, a.trace));
    }
    if (a.problem) {
      article.append(this.problem(a.problem));
    } else {
      article.append(...this.results(a));
    }
    if (a.assumed.length > 0) {
      article.append(element("p", { className: "assumed", textContent: `with ${a.assumed.join(", ")}`, title: "Arguments that are not given; write them below the object" }));
    }
    if (a.printed.length > 0) {
      article.append(element("h4", { textContent: "printed" }), element("pre", { className: "printed", textContent: a.printed.join("\n") }));
    }
    return article;
  }

  // results returns the elements of an answer: of one that is the object in a new form, first what
  // changes.
  results(a) {
    const whole = element("pre", { className: "results", textContent: a[this.format].trimEnd() });
    if (!a.changes) {
      return [whole];
    }
    const none = a.changes === "{}";
    const details = element("details", { open: this.open.has(a.operation) }, element("summary", { textContent: "whole object" }), whole);
    details.addEventListener("toggle", () => (details.open ? this.open.add(a.operation) : this.open.delete(a.operation)));
    const changes = none ? element("p", { className: "unchanged", textContent: "changes nothing" }) : element("pre", { className: "changes", textContent: a.changes });
    return [changes, details];
  }

  // button returns what begins and ends a trace. It keeps the focus when the panel is drawn again.
  button(a) {
    const button = element("button", { type: "button", className: "trace", textContent: "trace", title: "Step through the run" });
    button.setAttribute("aria-pressed", String(Boolean(a.trace)));
    button.setAttribute("aria-label", `trace ${a.operation}`);
    button.addEventListener("click", () => this.trace(a.trace ? "" : a.operation));
    return button;
  }

  gas(a) {
    const share = a.gasLimit ? Math.min(1, a.gas / a.gasLimit) : 0;
    const bar = element("span", { className: "bar-of" + (share > 0.5 ? " much" : "") }, element("span", {}));
    bar.firstChild.style.width = `${Math.max(2, share * 100)}%`;
    const title = `${a.gas.toLocaleString("en")} of ${a.gasLimit.toLocaleString("en")} gas, ${a.memory.toLocaleString("en")} bytes`;
    return element("span", { className: "gas", title }, bar, `${a.gas.toLocaleString("en")} gas`);
  }

  problem(p) {
    const place = [p.file, p.line, p.column].filter(Boolean).join(":");
    const box = element("div", { className: "problem" });
    if (place && p.where) {
      const button = element("button", { type: "button", className: "place", textContent: place, title: "Go there" });
      button.addEventListener("click", () => this.go(p));
      box.append(button);
    } else if (place) {
      box.append(element("span", { className: "place", textContent: place }));
    }
    box.append(element("p", { textContent: p.message }));
    if (p.backtrace?.includes("\n")) {
      box.append(element("pre", { className: "backtrace", textContent: p.backtrace.replaceAll("\t", "") }));
    }
    return box;
  }
}
