// SPDX-License-Identifier: Apache-2.0

// The samples: two to start from, and the cases of all bundles.

import { ask } from "./engine.js";
import { element } from "./element.js";

const object = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 3
  template:
    spec:
      containers:
        - name: nginx
          image: nginx:1.29
          resources:
            requests:
              cpu: 250m
              memory: 64Mi
status:
  observedGeneration: 1
  replicas: 3
  updatedReplicas: 3
  availableReplicas: 2
`;

export const start = {
  lua: {
    name: "A script in Lua",
    language: "lua",
    script: `-- Each function with the name of an operation answers it; the answers
-- appear as you type. dragoman docs operations lists all of them.

function GetReplicas(obj)
  return obj.spec.replicas, kube.accuratePodRequirements(obj.spec.template)
end

function InterpretHealth(obj)
  local available = kube.get(obj, "status.availableReplicas", 0)
  print(available .. " of " .. obj.spec.replicas .. " are available")
  if kube.get(obj, "spec.paused") then
    return nil -- unknown
  end
  return available == obj.spec.replicas
end

function ReflectStatus(obj)
  return { availableReplicas = obj.status.availableReplicas }
end
`,
  },
  cel: {
    name: "An expression in CEL",
    language: "cel",
    operation: "InterpretHealth",
    script: `// One expression answers one operation, which stands above.
object.status.updatedReplicas == object.spec.replicas &&
  object.status.availableReplicas >= object.spec.replicas - 1
`,
  },
};

// Samples are the three choices: kind, operation and case. load is called with the texts of a
// sample, fail with what went wrong.
export class Samples {
  constructor({ kind, operation, sample, load, fail }) {
    Object.assign(this, { kind, operation, sample, load, fail });
    this.kinds = new Map();
    this.cases = [];
    kind.addEventListener("change", () => this.choose());
    operation.addEventListener("change", () => this.fetch());
    sample.addEventListener("change", () => this.pick());
  }

  // list fills the first choice with the kinds of a catalog.
  list(all) {
    this.kind.replaceChildren(
      element("option", { value: "", textContent: "…", hidden: true }),
      group("Start", Object.entries(start).map(([value, s]) => element("option", { value, textContent: s.name }))),
    );
    const bundles = Map.groupBy(all, (k) => k.bundle);
    for (const [bundle, kinds] of bundles) {
      this.kind.append(group(bundle, kinds.map((k) => {
        const value = `${bundle}/${k.kind}`;
        this.kinds.set(value, k);
        return element("option", { value, textContent: k.kind });
      })));
    }
  }

  // start chooses the first sample.
  start() {
    this.kind.value = "lua";
    this.choose();
  }

  // clear chooses none, since the texts are those of a link.
  clear() {
    this.kind.value = "";
    this.hide();
  }

  hide() {
    this.operation.parentElement.hidden = this.sample.parentElement.hidden = true;
  }

  choose() {
    const { value } = this.kind;
    if (value in start) {
      this.hide();
      this.load({ object, arguments: "", operation: "", ...start[value] });
      return;
    }
    const kind = this.kinds.get(value);
    this.operation.replaceChildren(...kind.operations.map((o) => element("option", { value: o, textContent: o })));
    if (kind.operations.includes("InterpretHealth")) {
      this.operation.value = "InterpretHealth";
    }
    this.operation.parentElement.hidden = this.sample.parentElement.hidden = false;
    this.fetch();
  }

  // fetch reads the cases of the operation, and loads the first.
  async fetch() {
    const { bundle, kind } = this.kinds.get(this.kind.value);
    const request = { bundle, kind, operation: this.operation.value };
    try {
      const found = await ask("sample", request);
      if (this.kind.value !== `${bundle}/${kind}` || this.operation.value !== request.operation) {
        return;
      }
      this.found = found;
      this.sample.replaceChildren(...found.cases.map((c, i) => element("option", { value: i, textContent: c.name })));
      this.pick();
    } catch (error) {
      this.fail(`The sample cannot be read: ${error.message}`);
    }
  }

  pick() {
    const { bundle, file, language, script, cases } = this.found;
    const chosen = cases[this.sample.value];
    this.load({ object: chosen.object, arguments: chosen.arguments, script, language, operation: this.operation.value, bundle, file });
  }
}

function group(label, options) {
  return element("optgroup", { label }, ...options);
}
