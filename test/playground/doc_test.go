// SPDX-License-Identifier: Apache-2.0

// Package playground drives the page of dragoman playground in a headless Chromium: the page that
// the program serves, and the static files with the engine as WebAssembly. It needs the programs in
// bin and the folder bin/wasm, which make playground-test builds, and a chromium on the path (the
// package chromium of Debian and Ubuntu).
//
// With -pictures DIR it writes pictures of the page, light and dark.
package playground
