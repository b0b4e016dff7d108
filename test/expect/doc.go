// SPDX-License-Identifier: Apache-2.0

// Package expect makes what the tests of the controllers share: objects in as few
// words as a test is about, an engine with the rules of this program, and waiting for
// a cache. What a test does not say has a plain default. It knows no controller, so
// that their own packages can use it.
package expect
