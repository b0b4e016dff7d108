// SPDX-License-Identifier: Apache-2.0

// Package fuzz asks the scripts of a bundle about objects that are made from the schemas of CRDs, and
// looks for errors and broken laws.
//
// In go a bundle, schemas and a seed; out come findings, each with a small object that shows it. The same
// seed makes the same objects on each machine. An object has what its schema requires, the values that the
// schema allows, and of the other fields some: what the API server could have. The package writes no
// file.
package fuzz
