// SPDX-License-Identifier: Apache-2.0

// Package author is what the tools of script authors and policy writers share: the
// command line, a playground, a language server and webhooks. In go texts, a file system
// and a compiler of the engine; out come values: a plan and the report of its run, the
// problems of files. It knows no flags, no
// exit codes and no cluster, and keeps no state.
//
// It has three subjects; what scripts can call is in package reference, and what a run did in package recording:
//
//   - tests: Selection (plan.go, roots.go) chooses cases and what answers them (plan_homes.go,
//     customized.go), as package source finds it; RecordCases (record.go) writes them without secrets (package redact), NewPlan
//     reads them, Plan.Run (run.go) makes a Report (report.go, coverage.go), which is written
//     in several forms (formats.go), and Plan.Updates (update.go, yamledit.go) are the case
//     files with the answers of now; Compare (difference.go) asks two revisions;
//   - checks: Checker (check.go, check_homes.go) finds the problems of policies, clusters,
//     customizations (schema.go, fields.go, scripts.go) and cases, and Findings.Lint what is probably
//     not meant in scripts (lint.go, lint_*.go), written in several forms (check_formats.go,
//     sarif.go);
//   - requests: Customizations compiles what answers a request (customizations.go), whose objects package source
//     reads.
//
// Printer (printer.go) writes all of these for people. Errors are flat or joined;
// source.Flatten separates them, and source.IsFinding separates those about the content of a file from
// those that kept it from being read.
package author
