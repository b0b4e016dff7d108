// SPDX-License-Identifier: Apache-2.0

// Asks the engine that runs in a worker of this page, as WebAssembly.

const worker = new Worker("worker.js");
const waiting = new Map();
let last = 0;

worker.onmessage = ({ data }) => {
  const { resolve, reject } = waiting.get(data.id);
  waiting.delete(data.id);
  if (data.error) {
    reject(new Error(data.error));
  } else {
    resolve(JSON.parse(data.response));
  }
};
worker.onerror = () => fail("the engine ended; reload the page");

function fail(message) {
  for (const { reject } of waiting.values()) {
    reject(new Error(message));
  }
  waiting.clear();
}

// ask returns a promise of the response to a request, see Playground.Respond. A request that was
// begun is answered, so a signal only drops the response.
export function ask(name, request, signal) {
  return new Promise((resolve, reject) => {
    last++;
    waiting.set(last, { resolve, reject });
    signal?.addEventListener("abort", () => reject(new DOMException("dropped", "AbortError")));
    worker.postMessage({ id: last, name, request: JSON.stringify(request) });
  });
}
