// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"

	"github.com/dragoman-io/dragoman/engine/script"
)

// What values cost in bytes. They are a little more than Go takes, whatever the
// state of the pool, so that the memory of a run is the same everywhere.
// Numbers are free: a step makes at most one.
const (
	tableBytes   = 128
	fieldBytes   = 48
	pairBytes    = 128
	valueBytes   = 16
	cellBytes    = 16
	closureBytes = 64
	textBytes    = 16
	// failureBytes is what an error costs that a script catches.
	failureBytes = 256
)

// gasBytes is how many bytes a library call handles for one unit of gas.
const gasBytes = 64

// charge takes n units of gas.
func (vm *machine) charge(n int64) {
	vm.gas -= n
	if vm.gas < 0 {
		vm.exceed(script.Gas, vm.frame.at)
	}
}

// allocate takes n bytes of memory. It stands before what it pays for.
func (vm *machine) allocate(n int64) {
	vm.memory -= n
	if vm.memory < 0 {
		vm.exceed(script.Memory, vm.frame.at)
	}
}

// allocateText pays for a string of n bytes that is about to be made.
func (vm *machine) allocateText(n int64) {
	if n > int64(vm.limits.String) {
		panic(&failure{
			code: script.Memory, line: vm.frame.at,
			message: fmt.Sprintf("a string would be longer than %d bytes", vm.limits.String),
		})
	}
	vm.allocate(n + textBytes)
	vm.charge(n / gasBytes)
}

// handle charges for a library call that reads n bytes.
func (vm *machine) handle(n int) {
	if n >= gasBytes {
		vm.charge(int64(n) / gasBytes)
	}
}

// template charges for the template of a replacement of n bytes, which takes a step for
// each of its parts.
func (vm *machine) template(n int) {
	if n >= gasBytes {
		vm.charge(int64(n) / (gasBytes / 4))
	}
}

// exceed ends the run because of a limit.
func (vm *machine) exceed(limit script.Code, line int) {
	panic(&failure{code: limit, line: line, message: vm.exceeded(limit)})
}

// exceeded returns the message for the limit that was met.
func (vm *machine) exceeded(limit script.Code) string {
	switch limit {
	case script.Gas:
		return fmt.Sprintf("the run needs more than %d units of gas", vm.limits.Gas)
	case script.Memory:
		return fmt.Sprintf("the run needs more than %d bytes of memory", vm.limits.Memory)
	}
	return fmt.Sprintf("calls nest deeper than %d", vm.limits.Depth)
}

// usage is what the run cost so far.
func (vm *machine) usage() script.Usage {
	return script.Usage{Gas: vm.limits.Gas - vm.gas, Memory: vm.limits.Memory - vm.memory}
}
