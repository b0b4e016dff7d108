// SPDX-License-Identifier: Apache-2.0

// Package cel compiles and runs programs that are one expression in CEL. A Compiler is
// created once and compiles script.Programs; everything else in the package is behind
// that interface, and no type of cel-go leaves it.
//
// The expression sees the arguments of its operation as variables, params (the parameters
// of the bundle) and now (the time of the call), the functions of Kubernetes (quantity,
// semver, ip, url, find ...), those of cel-go's extensions (strings, lists, sets, math,
// cel.bind, optional values, transformList ...), and the functions of builtin as
// kube.<name>. Values go in as they are and come back as they are: an input map that the
// expression returns is the same Go map.
//
// # What a run can cost
//
// cel-go's own cost limit does not bound a run. It counts after a call and not
// before, it counts dyn operands as 1 whatever their size, and it compares two
// lists at the price of their length however deep they nest: 60 nested cel.bind
// of [x, x] and one == run forever at a cost of 2000. So this package puts
// calls of its own into the plan of an expression, and those pay before they
// work, in the units of script.Limits:
//
//   - each node of the expression costs 1, those in a loop once a round
//     (instrument.go);
//   - each call pays for what it reads and makes: 1 for 64 bytes, 1 for an item,
//     products where a search is a product (charge.go). A library with a function
//     that has no price is refused by New;
//   - memory is paid before it is taken and never given back.
//
// The price of a program and its arguments is the same in each run and on each
// machine. Counting takes a tenth to a fifth of the time of a run, so nothing runs
// without it.
//
// # Where it differs from CEL
//
//   - Maps are walked in the order of their keys, so that results do not vary.
//   - Messages (google.protobuf.Struct{...}) cannot be made.
//   - The time zone of the host is not known: now is in UTC, and "Local" is no zone.
//   - A quantity has at most 64 characters and an exponent below 100, other
//     texts that are parsed at most 1 KiB: some parsers take time without bound
//     for a few bytes (0.1e-99999999 takes 40 seconds as a quantity).
//   - A regular expression has at most 2000 instructions and 4 KiB, 1 KiB where it is
//     made in the run; see package pattern.
//
// # What a compilation can cost
//
// The source is read by package parse and its types are found by package check, in the
// place of those of cel-go, which take time without bound. An expression nests at most
// 128 levels, has at most 7,000 nodes once its macros are expanded, and takes at most
// 150,000 steps to check; its constant regular expressions have a budget together. That
// is 50 ms and 16 MiB. Size reports what the program keeps.
//
// # What it changes in cel-go
//
// The first New of a process sets the node id of three error values that cel-go
// shares between all its programs (no such overload, a timestamp and an int out of range),
// since a program that fails with one would otherwise write to it, whichever
// goroutine it runs on. This is state of a third party: a program that also calls
// cel-go by itself must create its first Compiler before it does so.
package cel
