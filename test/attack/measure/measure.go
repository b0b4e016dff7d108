// SPDX-License-Identifier: Apache-2.0

// Package measure runs one attack in this process, and reports what its compilation and
// its run took: processor time of the whole process, garbage collection included, and
// how much the process grew or what was allocated. Nothing else may run in the process
// meanwhile. It knows no attack by name.
package measure

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/scripts"
	"github.com/dragoman-io/dragoman/test/attack"
)

// Cost is what a step took.
type Cost struct {
	// CPU is user and system time.
	CPU time.Duration
	// Memory is by how many bytes the process grew at most.
	Memory int64
}

// Figures are what an attack took, and how it ended.
type Figures struct {
	Name string
	// Compile is the compilation with its trial run on a bare object. Run is zero where it
	// failed.
	Compile, Run Cost
	// Used is what the last run was charged.
	Used script.Usage
	// Code is that of the error, "" for an answer; Place is where it is, and Message is cut.
	Code    script.Code
	Place   script.Position
	Message string
	// Plain reports whether there is an error that is not of a script.
	Plain bool
}

// Runner runs attacks, one after the other.
type Runner struct {
	// first compiles an attack and is what runs, second compiles it once more: a compiler keeps the
	// programs that are in use.
	first, second *engine.Compiler
	// shipped are the bundles of the program, which are loaded once.
	shipped func() ([]*bundle.Bundle, error)
}

// NewRunner returns a runner with compilers of its own.
func NewRunner() (*Runner, error) {
	r := &Runner{}
	var errs [2]error
	r.first, errs[0] = engine.NewCompiler()
	r.second, errs[1] = engine.NewCompiler()
	r.shipped = sync.OnceValues(func() ([]*bundle.Bundle, error) {
		return bundle.Loader{Compiler: r.first}.LoadAll(scripts.FS)
	})
	return r, errors.Join(errs[:]...)
}

// Attack compiles and runs an attack twice. The memory of its figures is by how much the process
// grew at first, the time that of the second time. The error means that it could not be run as it
// is described.
func (r *Runner) Attack(q attack.Question) (Figures, error) {
	f, err := r.measure(q, cost)
	if err != nil {
		return f, err
	}
	again, err := r.target(q, r.second)
	if err != nil {
		return f, err
	}
	f.Compile.CPU = settled(func() { _ = again.load() })
	runtime.KeepAlive(again)
	return f, nil
}

// Allocate is Attack where the memory is all that was allocated, garbage included: never
// less than the process grew, and nothing has to be returned to the system before it can
// be seen, which takes longer than most attacks. The time has no meaning, since it has the
// garbage of others.
func (r *Runner) Allocate(q attack.Question) (Figures, error) { return r.measure(q, allocated) }

func (r *Runner) measure(q attack.Question, cost func(f func()) Cost) (Figures, error) {
	f := Figures{Name: q.Name}
	t, err := r.target(q, r.first)
	if err != nil {
		return f, err
	}
	var failure error
	f.Compile = cost(func() { failure = t.load() })
	if failure == nil && q.Form != attack.Folder {
		run := func() { _, failure = t.interpreter.Snapshot().Evaluate(t.request) }
		f.Run = cost(run)
		f.Run.CPU = settled(run)
		runtime.KeepAlive(t)
	}
	f.Used = t.used
	f.end(failure)
	return f, nil
}

// mostMessage is the length of a message in bytes.
const mostMessage = 200

// end notes how an attack ended.
func (f *Figures) end(err error) {
	if err == nil {
		return
	}
	f.Message = err.Error()
	f.Message = fmt.Sprintf("%.*s", mostMessage, f.Message)
	var failure *script.Error
	if f.Plain = !errors.As(err, &failure); !f.Plain {
		f.Code, f.Place = failure.Code, failure.Position
	}
}

// Within returns what an attack did beyond its bounds, or "".
func (f Figures) Within(q attack.Question) string {
	compile := time.Duration(attack.MostCompileCPU)
	memory := int64(attack.MostCompileGrowth)
	if q.Form == attack.Folder {
		compile, memory = attack.MostFolderCPU, attack.MostGrowth
	}
	switch {
	case f.Compile.CPU > compile:
		return "compile time"
	case f.Compile.Memory > memory:
		return "compile memory"
	case f.Run.CPU > q.CPU():
		return "time"
	case f.Run.Memory > attack.MostGrowth:
		return "memory"
	}
	return f.Ended(q)
}

// Ended returns what is wrong with how an attack ended, or "".
func (f Figures) Ended(q attack.Question) string {
	if f.Plain && q.Want != attack.Bounded && q.Want != attack.Refused || !f.Plain && !q.Expects(f.Code) {
		return fmt.Sprintf("ends with %q, not %s", f.Code, q.Want)
	}
	return ""
}

// object makes an object of the attack's kind of its fields.
func object(fields map[string]any) *unstructured.Unstructured {
	if fields == nil {
		fields = map[string]any{}
	}
	for key, value := range attack.Identity() {
		if fields[key] == nil {
			fields[key] = value
		}
	}
	return &unstructured.Unstructured{Object: fields}
}
