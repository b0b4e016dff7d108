// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"math"

	"github.com/dragoman-io/dragoman/engine/script"
)

// reader is what the decoder of an answer has: the rule, the meter that it pays before
// it works, and how large the answer is so far.
type reader struct {
	script.Tally
	rule *Rule
	// size is the length of the answer as JSON, estimated.
	size int64
	// base is the size before what may be too large by itself: 0 for the answer. In a map whose
	// order is not fixed it is each field, and the answer is an error after them, so that it
	// costs the same in every run.
	base int64
}

// begin starts to read the results of a run.
func (r *reader) begin(rule *Rule, m script.Meter) {
	*r = reader{Tally: script.Tally{Meter: m}, rule: rule}
}

// maxAnswer is how many bytes of JSON an answer may have beside what it shares with the
// object. etcd takes 1.5 MiB in a request by default, and an answer is stored in one with
// other things.
const maxAnswer = 1 << 20

// grow adds n bytes to the answer.
func (r *reader) grow(n int) error {
	r.size += int64(n)
	return r.sized()
}

// sized returns an error where the answer is too large or, while a map is being read, a field
// of it.
func (r *reader) sized() error {
	if r.size-r.base > maxAnswer {
		return tooLarge()
	}
	return nil
}

// enter stands before the fields of a map whose order is not fixed, leave after them; it takes
// what enter returned. Between them the answer is not too large until a base is set.
func (r *reader) enter() (base int64) {
	base, r.base = r.base, math.MaxInt64
	return base
}

func (r *reader) leave(base int64) error {
	r.base = base
	return r.sized()
}

func tooLarge() error { return script.Errorf(script.Result, "%s", tooLargeMessage) }

var tooLargeMessage = fmt.Sprintf("the answer has more than %d bytes as JSON, which is too large to be stored; the script must return less", maxAnswer)

// isTooLarge reports whether an error is that of an answer that is too large.
func isTooLarge(err error) bool {
	e, ok := errors.AsType[*script.Error](err)
	return ok && e.Message == tooLargeMessage
}

// What JSON has around a value: the quotes, colon and comma of a field, and a number.
const (
	fieldSize  = 6
	numberSize = 8
)

// text reads a text of the answer.
func (r *reader) text(s string) error {
	if err := r.Text(len(s)); err != nil {
		return err
	}
	return r.grow(len(s) + fieldSize)
}

// field reads the key of a field, and goes to its value.
func (r *reader) field(key string) error {
	if err := r.Add(fieldSteps, 0); err != nil {
		return err
	}
	return r.text(key)
}

// fieldSteps is what reading a field of an answer into a Go value takes.
const fieldSteps = 4

// What a field of a wrong value takes beside that: its message, and the path to it.
const (
	wrongSteps = 8
	wrongBytes = 256
)

// flaw is what is wrong with an answer, and the path to it, which grows while the error
// goes up: an answer without errors pays for no path.
type flaw struct{ path, message string }

func (f *flaw) Error() string {
	if f.path == "" {
		return f.message
	}
	return f.path + ": " + f.message
}

// wrong makes a flaw.
func wrong(format string, args ...any) error {
	return &flaw{message: fmt.Sprintf(format, args...)}
}

// below adds a step to the path of a flaw: a name, a field behind a dot, or an index.
func below(step string, err error) error {
	if f, ok := errors.AsType[*flaw](err); ok {
		f.path = clipped(step) + f.path
	}
	return err
}

// belowField adds the name of a field to the path of a flaw.
func belowField(name string, err error) error {
	if err == nil {
		return nil
	}
	return below("."+clipped(name), err)
}

// belowItem adds the index of an item to the path of a flaw.
func belowItem(i int, err error) error {
	if err == nil {
		return nil
	}
	return below(fmt.Sprintf("[%d]", i), err)
}

// resultError returns a flaw as the Result error that it is.
func resultError(err error) error {
	if f, ok := errors.AsType[*flaw](err); ok {
		return script.Errorf(script.Result, "%s", f.Error())
	}
	return err
}

// maxShown is how many bytes of a text of an answer a message shows.
const maxShown = 100

// clipped returns a text for a message.
func clipped(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return s[:maxShown] + "..."
}
