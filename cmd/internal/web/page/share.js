// SPDX-License-Identifier: Apache-2.0

// Share links: the texts of the page, compressed, in the fragment of its address, which browsers
// do not send to servers.

const version = "1.";

// maxText is how many bytes a link may hold once it is decompressed: as much as one request.
const maxText = 1 << 20;

// encode returns a value as the fragment of a link.
export async function encode(value) {
  const text = new TextEncoder().encode(JSON.stringify(value));
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const byte of bytes) {
    binary += String.fromCharCode(byte);
  }
  return version + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// decode returns the value of a fragment. It throws where there is none in it.
export async function decode(fragment) {
  if (!fragment.startsWith(version)) {
    throw new Error("it is no link of this page, or of another version of it");
  }
  const binary = atob(fragment.slice(version.length).replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) {
      return JSON.parse(text + decoder.decode());
    }
    size += value.length;
    if (size > maxText) {
      await reader.cancel();
      throw new Error("it holds too much text");
    }
    text += decoder.decode(value, { stream: true });
  }
}
