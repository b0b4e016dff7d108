// SPDX-License-Identifier: Apache-2.0

// Package lua compiles and runs scripts in Lua 5.1. Compile returns a
// script.Program; everything else of the package is behind that interface.
//
// A script is parsed once (by gopher-lua's parser, the only thing used of that
// library), its names are resolved to slots, and its tree becomes Go closures.
// Nothing is converted on the way in or out: a value of a script is the plain
// Go value of an unstructured object, and a table is a copy-on-write view of a
// map or a list of that object. An object that a script did not change comes
// back as the same Go map; of a changed one only the maps on the way to the
// change are copied. The package knows no operation and no cluster.
//
// # Reading the code
//
// In the order of a compilation: source.go, unit.go, scan.go and guard.go (what
// is refused before the parser sees it), resolve*.go, scope.go and strict.go
// (names to slots), compile.go and its neighbours, one file for each kind of
// statement and expression, module.go and require.go, size.go (what a program keeps in
// memory), shortcut.go (the two calls that every script has), cover.go and record.go. For tools: chunk.go,
// places.go, walk.go and reads*.go. In the order
// of a run: program.go, machine.go, invoke.go, block.go, table*.go and order.go, the
// libraries in lib_*.go, watch.go and show.go where it is recorded, and at the end composite.go and plain.go, which hand out the
// results.
//
// # What a run can see
//
// Each run executes the whole chunk in globals of its own, on a machine from a
// pool, and calls one global function. Nothing of it is left for the next run.
// A module that the chunk requires is compiled once for all programs that share it,
// and runs once in each run that comes to its require, in the same machine and budget.
// It has locals only.
// There is no clock but that of the call, no randomness, no address of
// anything, no host. Libraries are not tables: a script can shadow their names,
// for itself, and cannot change them.
//
// # What a compilation can cost
//
// Each step takes time and memory in proportion to the source. Before the parser runs,
// guard.go refuses what has too many tokens, or nests too deep; names are looked up in
// an index, and the variables that functions capture are counted. Only the first problem
// is located and reported. So the worst source of 64 KiB takes less than 50 ms and
// 16 MiB; hostile_forms_test.go has the forms, and BenchmarkHostile what they take.
//
// # What a run can cost
//
// Every node of the tree costs a unit of gas, charged for a whole block when it
// is entered, so an early return still pays for the block it leaves. Library
// calls pay for what they handle. Memory is charged before it is taken, and is
// never given back. The same program with the same arguments costs the same on
// every machine. A run that meets a limit ends; pcall does not see that.
//
// # Where it differs from Lua 5.1
//
//   - Integers are int64 where they are whole: 2^53+1 is exact, what overflows becomes a float, tostring prints all digits, and -0 is 0.
//   - Tables have no metatables. tostring of a table is "table".
//   - pairs has an order: items, then the keys of the object sorted, then the
//     keys that the script added, in the order in which it did.
//   - JSON null reads as nil, yet stays in what the script does not touch.
//     Writing nil deletes the key.
//   - table.sort is stable, and takes any order function.
//   - A tail call is a call: it counts for the depth. A function of xpcall runs
//     when the failed call has ended. There is no table arg.
//   - What Lua 5.1 does silently is an error where it can only be a mistake: a
//     for loop with step 0, next with a key that the table never had,
//     string.char of more than a byte, a field of a library that is assigned,
//     a conversion that os.date does not know.
//   - os knows time, date and difftime, in UTC, at the time of the call. What is
//     absent (io, load, setmetatable, math.random and so on) names the reason.
package lua
