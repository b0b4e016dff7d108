// SPDX-License-Identifier: Apache-2.0

package scripts

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/scripts"
)

// shipment is the bundles of this program, compiled, and their cases.
type shipment struct {
	bundles []*bundle.Bundle
	// cases are those of each bundle, by its name.
	cases map[string][]*cases.Case
	// sum is that of the questions as they were read.
	sum [sha256.Size]byte
}

// shipped reads the shipment once for all tests: 25 bundles and 2,500 cases take half a second. No
// test may change what it returns, see TestMain.
var shipped = sync.OnceValues(func() (*shipment, error) {
	c, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	s := &shipment{cases: map[string][]*cases.Case{}}
	if s.bundles, err = (bundle.Loader{Compiler: c}).LoadAll(scripts.FS); err != nil {
		return nil, err
	}
	for _, b := range s.bundles {
		if s.cases[b.Name], err = cases.InBundle(scripts.FS, b); err != nil {
			return nil, err
		}
	}
	s.sum, err = s.sumOfQuestions()
	return s, err
})

// TestMain checks in the end that no test has changed a case that others see too.
func TestMain(m *testing.M) {
	code := m.Run()
	if err := unchanged(); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		code = 1
	}
	os.Exit(code)
}

// unchanged returns an error if the question of a case is not as it was read.
func unchanged() error {
	s, err := shipped()
	if err != nil {
		return err
	}
	sum, err := s.sumOfQuestions()
	if err == nil && sum != s.sum {
		err = errors.New("a test has changed the question of a case, which all tests share: it must take a copy")
	}
	return err
}

func (s *shipment) sumOfQuestions() (sum [sha256.Size]byte, err error) {
	text := sha256.New()
	encoder := json.NewEncoder(text)
	for _, b := range s.bundles {
		for _, c := range s.cases[b.Name] {
			q := c.Question
			asked := []any{q.Object.Object, nil, q.Items, q.Replicas, q.State, q.Division, q.Related}
			if q.Observed != nil {
				asked[1] = q.Observed.Object
			}
			if err := encoder.Encode(asked); err != nil {
				return sum, fmt.Errorf("%s: %w", c.Where(), err)
			}
		}
	}
	return [sha256.Size]byte(text.Sum(nil)), nil
}

// bundles returns the bundles of this program with some parameters chosen.
func bundles(t testing.TB, choices ...string) []*bundle.Bundle {
	t.Helper()
	s, err := shipped()
	if err != nil {
		t.Fatal(err)
	}
	all, err := bundle.Choose(s.bundles, choices)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// bundleNamed returns one of them.
func bundleNamed(t testing.TB, name string) *bundle.Bundle {
	t.Helper()
	all := bundles(t)
	i := slices.IndexFunc(all, func(b *bundle.Bundle) bool { return b.Name == name })
	if i < 0 {
		t.Fatalf("there is no bundle %s", name)
	}
	return all[i]
}

// casesOf returns the cases of a bundle. They are shared and must not be changed.
func casesOf(t testing.TB, b *bundle.Bundle) []*cases.Case {
	t.Helper()
	s, err := shipped()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(s.cases[b.Name])
}

func interpreter(t testing.TB, choices ...string) *engine.Interpreter {
	t.Helper()
	i := engine.NewInterpreter(engine.Options{})
	for _, b := range bundles(t, choices...) {
		if err := i.Set(engine.Embedded, b.Source); err != nil {
			t.Fatal(err)
		}
	}
	return i
}
