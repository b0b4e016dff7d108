// SPDX-License-Identifier: Apache-2.0

// The trace of a run, one step at a time.

import { element } from "./element.js";

// Stepper shows one trace. step is called with the step that is shown, or null for none.
export class Stepper {
  constructor(step) {
    this.step = step;
    this.at = 0;
    this.operation = "";
  }

  // show returns the element of a trace. Where the same operation was shown before, it stays at
  // its step.
  show(operation, trace) {
    if (operation !== this.operation) {
      this.at = 0;
    }
    this.operation = operation;
    this.steps = trace.steps;
    this.left = trace.left;
    const last = Math.max(0, this.steps.length - 1);
    this.at = Math.min(this.at, last);
    this.range = element("input", { type: "range", min: 0, max: last, value: this.at });
    this.range.setAttribute("aria-label", `step of ${operation}`);
    this.range.addEventListener("input", () => this.go(Number(this.range.value)));
    this.count = element("span", { className: "count" });
    this.detail = element("div", { className: "detail" });
    this.detail.setAttribute("aria-live", "polite");
    const bar = element("div", { className: "steps" }, this.move(-1, "‹", "step back"), this.range, this.move(1, "›", "step on"), this.count);
    this.draw();
    return element("div", { className: "stepper" }, bar, this.detail);
  }

  clear() {
    if (this.operation) {
      this.operation = "";
      this.step(null);
    }
  }

  move(by, text, label) {
    const button = element("button", { type: "button", textContent: text, title: label });
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => this.go(this.at + by));
    return button;
  }

  go(at) {
    this.at = Math.max(0, Math.min(at, this.steps.length - 1));
    this.range.value = this.at;
    this.draw();
  }

  // draw shows the step.
  draw() {
    const step = this.steps[this.at];
    if (!step) {
      this.count.textContent = "no steps";
      this.detail.replaceChildren("No line of the script ran.");
      this.step(null);
      return;
    }
    const more = this.left ? ` (and ${this.left} more)` : "";
    this.count.textContent = `${this.at + 1} of ${this.steps.length}${more}`;
    const place = [step.file, step.line, step.column].filter(Boolean).join(":");
    const lines = [element("code", { className: "source", textContent: step.expression || step.source })];
    for (const { name, value } of step.changes || []) {
      lines.push(element("code", { textContent: `${name} = ${value}` }));
    }
    if (step.condition) {
      lines.push(element("code", { textContent: `→ ${step.condition}` }));
    }
    if (step.value) {
      lines.push(element("code", { textContent: `→ ${step.value}` }));
    }
    this.detail.replaceChildren(element("span", { className: "place", textContent: place }), ...lines);
    this.step(step);
  }
}
