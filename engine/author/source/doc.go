// SPDX-License-Identifier: Apache-2.0

// Package source is what all tools of script authors know of files before they run or check anything. In
// goes a file system, with the texts that an editor has not saved; out come values:
//
//   - a Tree (tree.go) reads each file once, with the texts of an editor in the place of files (overlay.go);
//   - a Home (home.go) is a folder whose scripts answer the cases below it: a bundle, customizations or
//     PlacementRules. Tree.Home finds that of a path, Tree.Look what a file is there (kind.go), and
//     Tree.Stray scripts that are in no home (stray.go);
//   - a File has the Documents (file.go, documents.go) of a text with their places. A document that
//     does not parse has its error, with file and line, and nothing else: nothing is made of it;
//   - a Problem (problem.go) is one thing that is wrong at a place of a file.
//
// It compiles nothing and runs nothing, and does not know which tool asks.
package source
