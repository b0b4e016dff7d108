// SPDX-License-Identifier: Apache-2.0

// Package provenance reports which script answers what about an object, and why that one: the
// layer and the rule set that it comes from, the function that was asked, the line at which it
// returned or failed, and the gas that it took.
//
// In go the rule sets of a control plane, each with its Source, and requests; out come Objects,
// whose JSON form is that of dragoman explain. The answers are those of the engine: it has a
// recording compiled into the scripts, which changes neither answers nor gas. The package reads no
// files and no control plane.
package provenance
