// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"k8s.io/apimachinery/pkg/api/resource"
)

// heapShare is how much of what the process may take the heap of Go may take. The rest is
// for what Go does not count.
const heapShare = 0.9

// runShare is the part of the heap that the runs of scripts at once may take by their
// limits, as a divisor. What they take beyond what is counted, and what the collector has not
// freed yet, has as much again, and the caches of objects have the rest.
const runShare = 4

// quantity is a flag of a number of bytes; the zero value is not set.
type quantity int64

// String returns the number as a quantity; with Set and Type, quantity is a flag.
func (q *quantity) String() string {
	if *q == 0 {
		return ""
	}
	return resource.NewQuantity(int64(*q), resource.BinarySI).String()
}

// Set takes a quantity such as 512Mi.
func (q *quantity) Set(text string) error {
	parsed, err := resource.ParseQuantity(text)
	if err != nil || parsed.Value() <= 0 {
		return fmt.Errorf("%q is no number of bytes above 0, such as 512Mi", text)
	}
	*q = quantity(parsed.Value())
	return nil
}

// Type names the kind of value in help.
func (q *quantity) Type() string { return "quantity" }

// memory is how much memory this process may take.
type memory struct {
	// limit is where the garbage collector works against growth: GOMEMLIMIT. It is 0
	// where there is none.
	limit int64
	// source is what it was taken from.
	source string
}

// source is one thing that limits the memory of a process.
type source struct {
	name string
	// read returns the limit in bytes, or memlimit.ErrNoLimit.
	read func() (int64, error)
}

// limitMemory sets the limit of Go's heap: of the flag if it is set, else from GOMEMLIMIT
// if that is set, which Go itself has done then, else from the least of what limits
// this process. The error is that of the sources that could not be read, which
// do not count.
func limitMemory(flag quantity, sources ...source) (memory, error) {
	switch {
	case flag > 0:
		return memory{int64(flag), "--memory-limit"}.set(), nil
	case os.Getenv("GOMEMLIMIT") != "":
		m := memory{debug.SetMemoryLimit(-1), "GOMEMLIMIT"}
		if m.limit == math.MaxInt64 {
			m.limit = 0
		}
		return m, nil
	}
	least, err := leastOf(sources)
	return least.set(), err
}

// set limits the heap to its share of m, and returns that.
func (m memory) set() memory {
	m.limit = int64(float64(m.limit) * heapShare)
	if m.limit > 0 {
		debug.SetMemoryLimit(m.limit)
	}
	return m
}

// leastOf returns the least limit of sources, and which of them it is.
func leastOf(sources []source) (memory, error) {
	least := memory{source: "none"}
	var unread []error
	for _, s := range sources {
		limit, err := s.read()
		switch {
		case errors.Is(err, memlimit.ErrNoLimit):
		case err != nil:
			unread = append(unread, fmt.Errorf("read the memory limit of %s: %w", s.name, err))
		case least.limit == 0 || limit < least.limit:
			least = memory{limit, s.name}
		}
	}
	return least, errors.Join(unread...)
}
