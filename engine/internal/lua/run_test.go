// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/dragoman-io/dragoman/engine/script"
)

// answer is what a run returned, in plain values.
type answer struct {
	results []any
	usage   script.Usage
	err     error
}

// ask compiles source and runs it once.
func ask(t testing.TB, source string, c script.Call) answer {
	t.Helper()
	return askOf(t, Script{File: "test.lua", Text: source}, c)
}

// askOf is ask for a whole source.
func askOf(t testing.TB, src Script, c script.Call) answer {
	t.Helper()
	p, err := Compile(src, script.Limits{})
	if err != nil {
		return answer{err: err}
	}
	return perform(p, c)
}

// perform runs p once and makes the results plain.
func perform(p script.Program, c script.Call) answer {
	var a answer
	a.usage, a.err = p.Run(&c, decodeFunc(func(results []any) error {
		for _, r := range results {
			v, err := script.Plain(r)
			if err != nil {
				return err
			}
			a.results = append(a.results, v)
		}
		return nil
	}))
	return a
}

// scriptError returns the *script.Error of a run that must fail.
func scriptError(t testing.TB, err error) *script.Error {
	t.Helper()
	var e *script.Error
	if !errors.As(err, &e) {
		t.Fatalf("got error %v, want an *script.Error", err)
	}
	return e
}

// deepCopy copies a plain value.
var deepCopy = runtime.DeepCopyJSONValue
