// SPDX-License-Identifier: Apache-2.0

// Asks the program that serves the page. Where the page is a folder of files, ../static/engine.js
// is in the place of this file.

// ask returns a promise of the response to a request, see Playground.Respond. A signal ends it.
export async function ask(name, request, signal) {
  const response = await fetch(`api/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
    signal,
  });
  const body = await response.text();
  if (!response.ok) {
    throw new Error(body.trim() || response.statusText);
  }
  return JSON.parse(body);
}
