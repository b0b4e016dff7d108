// SPDX-License-Identifier: Apache-2.0

// Command soak asks all bundles about the objects of their cases, with hostile values in
// all places, for as long as it is told, and prints what the process keeps in memory. It
// fails if the heap grew or if a run ended with a defect of the engine.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/scripts"
)

func main() {
	length := flag.Duration("for", 20*time.Minute, "how long to go on")
	every := flag.Duration("every", time.Minute, "time between two lines")
	seed := flag.Uint64("seed", 1, "seed of what is asked")
	flag.Parse()
	if err := run(*length, *every, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// maxGrowth is how much more the heap may hold at the end than after the first line.
const maxGrowth = 1 << 20

func run(length, every time.Duration, seed uint64) error {
	all, err := load()
	if err != nil {
		return err
	}
	s := &soak{random: rand.New(rand.NewPCG(seed, 0)), cases: all, codes: map[script.Code]int{}}
	if s.interpreter, err = interpreter(all); err != nil {
		return err
	}
	fmt.Printf("%d cases of the bundles; a line each %v\n", len(all), every)
	begin := time.Now()
	var first uint64
	for line := 1; time.Since(begin) < length; line++ {
		for until := begin.Add(time.Duration(line) * every); time.Now().Before(until); {
			if err := s.ask(); err != nil {
				return err
			}
		}
		heap := s.report(time.Since(begin))
		if line == 1 {
			first = heap
		}
		if heap > first+maxGrowth {
			return fmt.Errorf("the heap grew from %.2f to %.2f MiB", mebibytes(first), mebibytes(heap))
		}
	}
	return nil
}

// load returns the cases of all bundles.
func load() ([]*cases.Case, error) {
	c, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	bundles, err := bundle.Loader{Compiler: c}.LoadAll(scripts.FS)
	if err != nil {
		return nil, err
	}
	var all []*cases.Case
	for _, b := range bundles {
		found, err := cases.InBundle(scripts.FS, b)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// interpreter returns one with all bundles, and with the rules of kinds whose cases have the
// path of their replicas.
func interpreter(all []*cases.Case) (*engine.Interpreter, error) {
	c, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	bundles, err := bundle.Loader{Compiler: c}.LoadAll(scripts.FS)
	if err != nil {
		return nil, err
	}
	i := engine.NewInterpreter(engine.Options{})
	for _, b := range bundles {
		if err := i.Set(engine.Embedded, b.Source); err != nil {
			return nil, err
		}
		if b.Source.Kinds[bundle.ScalableKind] == nil {
			continue
		}
		paths := map[schema.GroupVersionKind]string{}
		for _, c := range all {
			if path := c.Parameters[bundle.ReplicasPath]; path != "" {
				paths[c.Kind()] = path
			}
		}
		if err := i.Set(engine.Derived, b.Scaled(b.Name, paths)); err != nil {
			return nil, err
		}
	}
	return i, nil
}

// soak asks, and counts how the runs ended.
type soak struct {
	random      *rand.Rand
	cases       []*cases.Case
	interpreter *engine.Interpreter
	runs        int
	codes       map[script.Code]int
	slowest     time.Duration
	slow        string
}

// ask asks about the object of a case, in most runs with a hostile value in one place.
func (s *soak) ask() error {
	c := s.cases[s.random.IntN(len(s.cases))]
	q := c.Question
	q.Object = q.Object.DeepCopy()
	kind := q.Object.GroupVersionKind()
	if s.random.IntN(8) > 0 {
		s.spoil(q.Object.Object)
		q.Object.SetGroupVersionKind(kind)
	}
	begin := time.Now()
	_, err := s.interpreter.Snapshot().Evaluate(q)
	s.count(c, kind, time.Since(begin), err)
	var failure *script.Error
	if errors.As(err, &failure) && failure.Code == script.Internal {
		return fmt.Errorf("%s, spoilt with the same seed: %w", c.Where(), err)
	}
	return nil
}

func (s *soak) count(c *cases.Case, kind schema.GroupVersionKind, took time.Duration, err error) {
	s.runs++
	if took > s.slowest {
		s.slowest, s.slow = took, fmt.Sprintf("%s of %s", c.Operation.Name, kind.Kind)
	}
	var failure *script.Error
	switch {
	case err == nil:
		s.codes["none"]++
	case errors.As(err, &failure):
		s.codes[failure.Code]++
	default:
		s.codes["other"]++
	}
}

// report prints a line, and returns the size of the heap after a collection.
func (s *soak) report(at time.Duration) uint64 {
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("%4.0fs  %9d runs  heap %6.2f MiB, %d objects  %d goroutines  slowest %v (%s)  codes %v\n",
		at.Seconds(), s.runs, mebibytes(m.HeapAlloc), m.HeapObjects, runtime.NumGoroutine(), s.slowest.Round(time.Microsecond), s.slow, s.codes)
	s.slowest, s.slow = 0, ""
	return m.HeapAlloc
}

func mebibytes(n uint64) float64 { return float64(n) / (1 << 20) }
