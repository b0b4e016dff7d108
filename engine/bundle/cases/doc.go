// SPDX-License-Identifier: Apache-2.0

// Package cases reads and runs the cases of scripts. A case is one YAML document: an
// object, a request about it, and the answer or the error that is expected.
//
//	name: a running job is healthy
//	observedObj: {apiVersion: flink.apache.org/v1beta1, kind: FlinkDeployment, status: {…}}
//	operation: InterpretHealth
//	output:
//	  healthy: true
//
// The keys:
//
//	name, description  for people; name is required
//	desiredObj         the object; Retain needs it and observedObj, each other
//	observedObj        operation exactly one of the two
//	statusItems        the items of AggregateStatus
//	inputReplicas      the number for ReviseReplica
//	division           how replicas are divided, for ReviseReplica, a map: cluster, and
//	                   shares, a list of name and replicas
//	state              the state for RestoreState, a map
//	operation          the wire name; case does not matter
//	parameters         values of the bundle's parameters for this case, a map
//	output             what is expected, by the name of the result
//	changes            in place of output, for an operation whose answer is its object in a
//	                   new form: a merge patch on that object
//	expectSubset       what the results contain, by their names: of maps the keys that
//	                   are named, of lists all items
//	assert             conditions in CEL over result, input and now, a list
//	ignore             paths at which output or changes do not count, a list
//	maxGas             what the script may take
//	skip               why the case is not run
//	each               a list of values, for each of which the case is run: the value
//	                   stands for ${each} in texts, a field of it for ${each.field}
//	expectError        in place of output: code, message (a regular expression), at
//	                   (file, or file:line; the file may lack leading folders)
//
// A document with the one key base has the object that the cases after it start from: their
// desiredObj and observedObj are merge patches on it.
//
// The format is that of Karmada's interpreter tests; what its cases do not have is an addition. Reading is strict: a key that is not in
// this list, or that the operation does not read, is an error with file and line.
//
// What is equal: requirements, components and dependencies as their Go types are,
// quantities by value, lists of components and dependencies in any order, nil and
// empty alike. Everything else must be equal as JSON: a null is not an absent key, an
// empty map is no empty list and no null; 1 and 1.0 are one number. Where "{{EXCLUDE}}"
// is expected, anything will do. A result that the output does not name must be null,
// unless expectSubset names it or a condition reads it.
//
// ReadPublished reads cases of the published form as leniently as Karmada's runner, and
// such cases are compared by its rules.
//
// Beside its cases, a bundle must keep the Laws on the objects of its cases, and its
// cases must leave no Gaps.
package cases
