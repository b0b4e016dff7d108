// SPDX-License-Identifier: Apache-2.0

// Package engine answers one question about one object by running a sandboxed script: is
// it healthy, how many replicas does it want, what must survive when it moves. In go an
// object, which is plain JSON, and an operation; out comes a checked value of a Go type,
// or an error with the script, the line and the expression. Scripts are Lua 5.1 or CEL,
// and can be replaced at any time.
//
// The package knows no cluster, holds no client, starts no goroutine unless it has a
// deadline, and does not log: it returns. It knows no kind of object either; what is special about a
// Deployment or a FlinkDeployment stands in scripts alone. When to ask, and what to do with
// an answer, is the caller's business.
//
// # The nouns
//
//   - Op is a question, such as InterpretHealth; Operation describes one.
//   - Script is a text for an operation. Compiler compiles it to a Rule, which is what
//     answers one operation for one kind.
//   - RuleSet holds the rules that come and go together: those of a call of
//     Compiler.Compile, of a ResourceInterpreterCustomization (Compiler.Customization), or
//     of a bundle (package bundle, which reads folders of scripts).
//   - Interpreter holds rule sets in layers, and Snapshot is what it holds at one moment:
//     it has one method for each operation, and Evaluate for callers that learn at run time
//     which one it is.
//   - PlacementRule has the expressions of one about clusters and bindings. It stands beside
//     the operations: all rules that select a workload answer, and not the first one.
//
// The package example has all others in five statements. What a script may cost, and how
// it fails, is in package script.
//
// # The life of an answer
//
//  1. Compiler.Compile parses a script, resolves its names, and looks for the function of
//     its operation. A text that was compiled before is not compiled again.
//  2. The rule is tried once on an empty object: one that does not end there never
//     becomes active.
//  3. Interpreter.Set builds the rules of the kinds that changed, and swaps one pointer.
//  4. Interpreter.Snapshot loads that pointer. No lock is taken from here on.
//  5. Snapshot.Health, for example, looks up the rules by the kind of the object. The first
//     layer that has one answers; without any the error is ErrNoRule.
//  6. The operation binds the arguments: the maps of the object as they are, not a copy.
//     What converting them for a script of the published form takes, the run has less.
//  7. The program runs within its limits, on a machine from a pool, with fresh globals.
//  8. The operation decodes the results while the memory of the run is alive, checks them,
//     and returns a Go type. The run pays for that too, each part before it is read: in
//     bulk, so that an answer of usual size costs nothing. What the script did not change
//     is shared with the argument, and an answer too large to be stored is an error.
//  9. An error is final, and wraps a *script.Error. There is no falling through to the next
//     layer.
//  10. Options.Observe gets the rule, the cost, the time and the error.
//
// # Reading the code
//
// First the nouns: operation.go, rule.go, ruleset.go, interpreter.go, snapshot.go. Then one
// operation from end to end: op_health.go, with param.go and result.go, which describe
// its arguments and answers, and call.go, which is what all operations share. The other
// op_*.go differ in what they bind and decode (reader.go, decode.go, object.go, pointers.go);
// op_aggregate.go and op_dependency.go have the two particular ones. table.go lists them, and
// is where a new one is added. On the way of a rule: compile.go, modules.go (what scripts
// of a bundle share),
// entry.go (is the function there?), smoke.go (does it end?), programs.go (is it known?),
// customization.go (the published form). On the way of a reload: ruleindex.go (layers to
// rules by kind), memory.go (do the programs fit?) and index.go (the map that a change
// shares with the one before). guard.go and quarantine.go are the last line behind the
// limits (package watchdog). request.go is the door for command lines and cases.
// Why all of this is as it is stands in RATIONALE.md.
//
// # What scripts cannot do
//
// A script sees its arguments, its parameters, the functions of package builtin as kube.*,
// and the time that Options.Clock reports. It has no files, no network, no randomness and
// no memory of the run before. The same script with the same arguments and the same clock
// returns the same answer at the same cost on every machine.
//
// Every run has the limits of script.Limits: gas (one unit for each step), memory, depth of
// calls, length of strings, nesting of the result. A script cannot catch that it met one.
// Options.Limits is the most that any rule gets, and a rule can only lower it. There is no
// context to pass, since gas bounds the time: the defaults end the worst script known within
// milliseconds. Options.Deadline is for the unknown ones: a run that takes seconds is a
// defect of the engine, and the caller is free again with an error. AggregateStatus gets more with each cluster that
// reports, and takes script.Limits.Items of them at most. Compiler.Limits bound the size of
// a source, and Options.ProgramMemory what the programs of all rule sets keep in memory.
//
// # Concurrency
//
// Compiler, Interpreter and Snapshot are safe for many goroutines. Objects that are passed
// in are never changed. Results may share memory with them, and must not be changed; a
// caller that wants to makes a copy.
//
// # The published form
//
// A ResourceInterpreterCustomization is taken as Karmada publishes it, and its Lua sees
// values as it does there: integers beyond 2^53 are rounded, nulls vanish, and empty maps
// and lists are mended by what the input had at the same place. What that does not change
// is not copied: a script that returns its argument returns the very object. Rule.Compat
// marks such rules; scripts of bundles, of Compile and in CEL have exact values. Where the
// published form has only an accident (an endless script, replicas that wrap around, an
// answer that is another object) the engine returns an error.
package engine
