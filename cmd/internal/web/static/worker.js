// SPDX-License-Identifier: Apache-2.0

// Runs the engine, and answers one message after the other.

importScripts("wasm_exec.js");

const ready = start();

async function start() {
  const go = new Go();
  const response = await fetch("dragoman.wasm");
  if (!response.ok) {
    throw new Error(`dragoman.wasm: ${response.status} ${response.statusText}`);
  }
  const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), go.importObject);
  await new Promise((resolve) => {
    self.dragomanReady = resolve;
    go.run(instance);
  });
}

self.onmessage = async ({ data: { id, name, request } }) => {
  try {
    await ready;
    postMessage({ id, ...self.dragomanRespond(name, request) });
  } catch (error) {
    postMessage({ id, error: String(error.message || error) });
  }
};
