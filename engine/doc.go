// SPDX-License-Identifier: Apache-2.0

// Package engine answers one question about one object by running a sandboxed
// script. In go an object and a question (an operation); out comes a checked,
// typed answer, or an error that names the script, the line and the expression.
//
// It knows no cluster, holds no client and does not log: it returns. Which
// scripts there are is told to an Interpreter by sources (customizations of the
// API, bundles installed at run time, bundles embedded in the program).
package engine
