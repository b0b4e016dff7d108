// SPDX-License-Identifier: Apache-2.0

// Package author is what the tools of script authors and policy writers share: the
// command line, a playground, a language server and webhooks. In go texts, a file system
// and a compiler of the engine; out come values: a plan and the report of its run, the
// problems of files, the reference of functions and operations. It knows no flags, no
// exit codes and no cluster, and keeps no state.
//
// It has five subjects:
//
//   - tests: Selection (plan.go, roots.go) chooses cases and what answers them (home.go,
//     customized.go, stray.go), RecordCases (record.go) writes them without secrets (package redact), NewPlan
//     reads them, Plan.Run (run.go) makes a Report (report.go, coverage.go), which is written
//     in several forms (formats.go), and Plan.Updates (update.go, yamledit.go) are the case
//     files with the answers of now; Compare (difference.go) asks two revisions;
//   - checks: Checker (check.go) finds the Problems of policies, clusters and
//     customizations (schema.go, fields.go, scripts.go), and Findings.Lint what is probably
//     not meant in scripts (lint.go, lint_*.go), written in several forms (check_formats.go,
//     sarif.go);
//   - requests: Object, StatusItems and Customizations read what a request needs
//     (objects.go, documents.go, customizations.go);
//   - the reference: FunctionReference and OperationReference (reference.go), and for an
//     editor LuaTypes (types.go, types_class.go) and what can be called (library.go,
//     symbols.go);
//   - a run: TraceOf (trace.go) and ProfileOf (gas.go) make what was recorded of it.
//
// Printer (printer.go) writes all of these for people. Errors are flat or joined;
// Flatten separates them, and IsFinding separates those about the content of a file from
// those that kept it from being read.
package author
