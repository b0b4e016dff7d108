// SPDX-License-Identifier: Apache-2.0

// The page: it asks the engine whenever a text changes, and shows what became of it.

import { ask } from "./engine.js";
import { Answers } from "./answers.js";
import { Editor } from "./editors.js";
import { element } from "./element.js";
import { Files } from "./files.js";
import { Samples, start } from "./samples.js";
import { decode, encode } from "./share.js";

// pause is how long nothing is typed before the engine is asked, in milliseconds.
const pause = 150;

// kept is where the texts stand, so that they outlive a reload of the tab.
const kept = "dragoman-playground";

const byId = (id) => document.getElementById(id);

const editors = {
  object: new Editor({ parent: byId("object"), language: "yaml", label: "object-name", change: changed }),
  arguments: new Editor({ parent: byId("arguments"), language: "yaml", label: "arguments-name", change: changed }),
  script: new Editor({ parent: byId("script"), language: "lua", label: "script-name", coverage: true, change: changed }),
};
const answers = new Answers(byId("answers"), {
  go(problem) {
    if (problem.where === "arguments") {
      byId("arguments-pane").open = true;
    }
    if (problem.where === "script") {
      files.follow(problem.file);
    }
    editors[problem.where].show(problem);
  },
  trace(operation) {
    traced = operation;
    evaluate();
  },
  step(step) {
    if (step) {
      files.follow(step.file);
    }
    editors.script.step(step && step.file === files.name ? step.line : 0);
  },
});
const files = new Files({ select: byId("file"), label: byId("files"), editor: editors.script, change: changed, fail: say });
const samples = new Samples({ kind: byId("kind"), operation: byId("sample-operation"), sample: byId("case"), load, fail: say });

// texts are the last scripts that stood alone, by language; the switch changes between them.
const texts = { lua: start.lua.script, cel: start.cel.script };
let language = "lua";
// notice is whether the status is a message that stays until a text changes.
let notice = false;
// traced is the operation whose run is traced, or "".
let traced = "";
let timer, running;
// last is the request that was answered last, as JSON, and its answer.
let last = { request: "", answer: null };

// input returns the texts as a request.
function input() {
  return {
    object: editors.object.text,
    arguments: editors.arguments.text,
    language: chosen("language"),
    operation: byId("operation").value,
    trace: traced,
    ...files.texts,
  };
}

// load shows the texts of a request.
function load(request) {
  traced = request.trace || "";
  choose("language", request.language);
  language = chosen("language");
  byId("operation").value = request.operation || "InterpretHealth";
  editors.object.text = request.object || "";
  editors.arguments.text = request.arguments || "";
  files.load({ ...request, language });
  byId("arguments-pane").open = Boolean(request.arguments);
  arrange();
  evaluate();
}

// arrange shows what belongs to the kind of script.
function arrange() {
  byId("expression").hidden = language !== "cel" || files.inBundle;
  byId("language").disabled = files.inBundle;
}

function changed() {
  notice = false;
  clearTimeout(timer);
  timer = setTimeout(evaluate, pause);
}

// evaluate asks about the texts as they are. Of several that are under way the last counts.
async function evaluate() {
  clearTimeout(timer);
  running?.abort();
  const asked = (running = new AbortController());
  const request = input();
  if (JSON.stringify(request) === last.request) {
    show(last.answer);
    return;
  }
  const busy = setTimeout(() => document.body.classList.add("busy"), 400);
  try {
    const answer = await ask("evaluate", request, asked.signal);
    if (asked === running && JSON.stringify(request) === JSON.stringify(input())) {
      last = { request: JSON.stringify(request), answer };
      show(answer);
      keep(request);
    }
  } catch (error) {
    if (asked === running && error.name !== "AbortError") {
      say(`The engine does not answer: ${error.message}`);
    }
  } finally {
    clearTimeout(busy);
    if (asked === running) {
      document.body.classList.remove("busy");
    }
  }
}

function show(answer) {
  answers.show(answer);
  for (const [where, editor] of Object.entries(editors)) {
    editor.mark(answer.problems.filter((p) => p.where === where && (where !== "script" || p.file === files.name)));
  }
  const covered = answer.coverage.find((c) => c.file === files.name);
  editors.script.cover(covered);
  byId("coverage").replaceChildren(...coverage(covered));
  const gas = answer.operations.reduce((sum, a) => sum + a.gas, 0);
  byId("summary").textContent = answer.operations.length ? `${gas.toLocaleString("en")} gas` : "";
  const wrong = answer.problems.length;
  if (!notice) {
    status(wrong ? `${wrong} ${wrong === 1 ? "problem" : "problems"}` : "", wrong ? "wrong" : "");
  }
}

// coverage returns what stands below the script about the lines that ran.
function coverage(c) {
  if (!c || c.lines.length === 0) {
    return [];
  }
  const text = `${c.lines.length - c.missed.length} of ${c.lines.length} lines ran`;
  const missed = c.missed.length ? `; not ${c.missed.length > 12 ? `${c.missed.slice(0, 12).join(", ")} …` : c.missed.join(", ")}` : "";
  return [element("span", { className: "key ran" }), text + missed];
}

function say(text, tone = "") {
  notice = true;
  status(text, tone);
}

function status(text, tone) {
  byId("status").textContent = text;
  byId("status").className = tone;
}

function keep(request) {
  try {
    sessionStorage.setItem(kept, JSON.stringify(request));
  } catch {
    // Nothing is kept where the browser allows it not.
  }
}

function chosen(name) {
  return document.querySelector(`input[name=${name}]:checked`).value;
}

function choose(name, value) {
  const input = document.querySelector(`input[name=${name}][value="${CSS.escape(value || "")}"]`);
  if (input) {
    input.checked = true;
  }
}

async function share() {
  const link = new URL(location.href);
  link.hash = await encode(input());
  history.replaceState(null, "", link);
  try {
    await navigator.clipboard.writeText(link.href);
    say("The link is copied; it holds the object and the script.");
  } catch {
    say("The address of this page is the link; it holds the object and the script.");
  }
}

// restore shows what a link holds, or what this tab had, or the first sample.
async function restore() {
  const fragment = location.hash.slice(1);
  if (fragment) {
    try {
      load(await decode(fragment));
      samples.clear();
      return;
    } catch (error) {
      samples.start();
      say(`The link cannot be read: ${error.message}.`, "wrong");
      return;
    }
  }
  try {
    const text = sessionStorage.getItem(kept);
    if (text) {
      load(JSON.parse(text));
      samples.clear();
      return;
    }
  } catch {
    // As in a new tab.
  }
  samples.start();
}

function listen() {
  byId("share").addEventListener("click", share);
  byId("operation").addEventListener("change", evaluate);
  byId("language").addEventListener("change", () => {
    texts[language] = editors.script.text;
    language = chosen("language");
    files.load({ script: texts[language], language });
    arrange();
    evaluate();
  });
  byId("format").addEventListener("change", () => {
    answers.format = chosen("format");
    answers.show();
  });
  window.addEventListener("hashchange", restore);
}

listen();
try {
  const catalog = await ask("catalog", {});
  byId("operation").replaceChildren(...catalog.operations.map((o) => element("option", { value: o.name, textContent: o.name, title: o.doc })));
  samples.list(catalog.samples);
  await restore();
} catch (error) {
  say(`The engine does not answer: ${error.message}`, "wrong");
}
