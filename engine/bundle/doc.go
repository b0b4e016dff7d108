// SPDX-License-Identifier: Apache-2.0

// Package bundle reads bundles: folders of scripts for some kinds, with a manifest. In
// goes a file system; out comes a rule set for an interpreter, or every error of the
// folder with file and line.
//
//	flink/bundle.yaml                     what the bundle is, its kinds and parameters
//	flink/FlinkDeployment/health.lua      a script: <Kind>/<operation>.lua or .cel
//	flink/FlinkDeployment/testdata/*.yaml its cases, see package cases
//	flink/lib/memory.lua                  a module: what scripts share, as require("lib.memory")
//
// Where a function of a module is the whole answer, the manifest names it and there is no
// file: see Mapping.
//
// Nothing in a folder is ignored silently: a file that is not a script, a folder that is
// not a kind, an unused module and an unknown key are errors. Texts for people, CRDs in crds and
// objects in samples are not read; what is hidden, or named in .dragomanignore, is no part of the
// bundle.
//
// A Store brings the revisions of bundles into an engine while it runs, each through the
// same stages: Fetched, Verified, Compiled, Checked, SmokeTested, Active. If one fails at
// a stage, the revision before stays in place, and other bundles are not affected. The
// package does not know where revisions come from; see package watch.
//
// What a bundle can cost is bounded at each stage, and bundles take turns, so that none
// delays another one for long; see Store.Begin.
package bundle
