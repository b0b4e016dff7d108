// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/dragoman-io/dragoman/builtin"
)

// Function is a function in Go that expressions call as kube.<Name>.
type Function struct {
	Name string
	// Min and Max are how many arguments it takes at least and at most.
	Min, Max int
	// InPlace reports whether Call looks at a few parts of its arguments alone. The arguments
	// of all other functions are paid for by their size.
	InPlace bool
	// Check, where it is set, returns what is wrong with argument i, whose value is known
	// before the call; whole reports whether its parts are known too.
	Check func(i int, v any, whole bool) error
	// Call gets the arguments as plain values, which it must not change. It returns
	// a plain value and the gas that it took. It is called by many goroutines at
	// the same time. An error that is a *script.Error keeps its code.
	Call func(args []any) (any, int64, error)
	// Work, where it is set, is what is called: it pays for the parts of its work before
	// each is done.
	Work func(args []any, m builtin.Meter) (any, error)
}

// functionPrefix begins the names of Functions.
const functionPrefix = "kube."

// declare returns the declaration of f: an overload for each number of arguments.
// The plan puts a call of f in the place of what is bound here.
func (f Function) declare() (cel.EnvOption, error) {
	if f.Name == "" || f.Call == nil && f.Work == nil || f.Min < 0 || f.Max < f.Min {
		return nil, fmt.Errorf("function %q is not well formed", f.Name)
	}
	var options []cel.FunctionOpt
	for n := f.Min; n <= f.Max; n++ {
		args := make([]*cel.Type, n)
		for i := range args {
			args[i] = cel.DynType
		}
		unbound := cel.FunctionBinding(func(...ref.Val) ref.Val {
			return types.NewErr("%s%s is not bound", functionPrefix, f.Name)
		})
		options = append(options, cel.Overload(fmt.Sprintf("kube_%s_%d", f.Name, n), args, cel.DynType, unbound))
	}
	return cel.Function(functionPrefix+f.Name, options...), nil
}
