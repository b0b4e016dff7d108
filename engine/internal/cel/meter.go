// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"
	"math"

	"github.com/google/cel-go/interpreter"

	"github.com/dragoman-io/dragoman/engine/script"
)

// What values cost in bytes: a little more than Go takes, so that the memory of
// a run is the same everywhere. A call makes at most a number beside them.
const (
	callBytes  = 16
	listBytes  = 64
	itemBytes  = 16
	mapBytes   = 64
	fieldBytes = 64
	textBytes  = 16
	// viewBytes is what cel-go takes to hold a map or list of an input.
	viewBytes = 96
)

// gasBytes is how many bytes a call handles for one unit of gas.
const gasBytes = 64

// meter counts what a run takes and ends it at its limits. What is charged is
// charged before the work is done.
type meter struct {
	limits script.Limits
	used   script.Usage
	// node is the node that is being paid for, 0 where that is not known.
	node int64
	// exceeded is why the meter ended the run, and at is the node that did.
	exceeded *script.Error
	at       int64
}

// price is what a part of a program costs when it is entered.
type price struct{ gas, bytes int64 }

// plus adds two prices.
func (p price) plus(q price) price {
	return price{gas: sum(p.gas, q.gas), bytes: sum(p.bytes, q.bytes)}
}

// pay takes a price.
func (m *meter) pay(p price) {
	m.charge(p.gas)
	m.allocate(p.bytes)
}

// Pay takes what the reader of a result costs. It returns an error where charge and
// allocate would panic: a decoder's calls come from outside.
func (m *meter) Pay(gas, memory int64) (err error) {
	defer func() {
		if x := recover(); x != nil {
			if _, ok := x.(interpreter.EvalCancelledError); !ok {
				panic(x)
			}
			err = m.exceeded
		}
	}()
	m.charge(gas)
	m.allocate(memory)
	return nil
}

// charge takes n units of gas.
func (m *meter) charge(n int64) {
	if n > m.limits.Gas-m.used.Gas {
		m.used.Gas = m.limits.Gas
		m.exceed(script.Gas, "the run needs more than %d units of gas", m.limits.Gas)
	}
	m.used.Gas += n
}

// allocate takes n bytes of memory.
func (m *meter) allocate(n int64) {
	if n > m.limits.Memory-m.used.Memory {
		m.used.Memory = m.limits.Memory
		m.exceed(script.Memory, "the run needs more than %d bytes of memory", m.limits.Memory)
	}
	m.used.Memory += n
}

// text pays for a string of n bytes that is about to be made.
func (m *meter) text(n int64) {
	m.fits(n)
	m.charge(n / gasBytes)
	m.allocate(sum(n, textBytes))
}

// fits ends the run if a string of n bytes is too long.
func (m *meter) fits(n int64) {
	if n > int64(m.limits.String) {
		m.exceed(script.Memory, "a string would be longer than %d bytes", m.limits.String)
	}
}

// list pays for a list of n items that is about to be made.
func (m *meter) list(n int64) {
	m.charge(n / 2)
	m.allocate(sum(product(n, itemBytes), listBytes))
}

// exceed ends the run: it panics with what cel-go and evaluate recover.
func (m *meter) exceed(code script.Code, format string, limit any) {
	message := fmt.Sprintf(format, limit)
	m.exceeded, m.at = script.Errorf(code, "%s", message), m.node
	panic(interpreter.EvalCancelledError{Message: message, Cause: interpreter.CostLimitExceeded})
}

// sum adds two amounts that are not negative, without overflow.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// product multiplies two amounts that are not negative, without overflow.
func product(a, b int64) int64 {
	if b != 0 && a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}
