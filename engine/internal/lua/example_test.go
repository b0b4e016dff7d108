// SPDX-License-Identifier: Apache-2.0

package lua_test

import (
	"errors"
	"fmt"

	"github.com/dragoman-io/dragoman/engine/internal/lua"
	"github.com/dragoman-io/dragoman/engine/script"
)

// first keeps the first result of a run.
type first struct{ value any }

func (f *first) Decode(results []any, _ script.Meter) (err error) {
	f.value, err = script.Plain(results[0])
	return err
}

func ExampleCompile() {
	program, err := lua.Compile(lua.Script{File: "health.lua", Text: `
function InterpretHealth(obj)
  return kube.get(obj, "status.phase") == "Running"
end`}, script.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var healthy first
	pod := map[string]any{"status": map[string]any{"phase": "Running"}}
	usage, err := program.Run(&script.Call{Entry: "InterpretHealth", Args: []any{pod}}, &healthy)
	fmt.Println(healthy.value, err, usage.Gas)
	// Output: true <nil> 18
}

func ExampleCompile_error() {
	program, err := lua.Compile(lua.Script{File: "replicas.lua", Text: `
function GetReplicas(obj)
  return obj.spec.replicas + 1
end`}, script.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = program.Run(&script.Call{Entry: "GetReplicas", Args: []any{map[string]any{"spec": map[string]any{}}}}, &first{})
	var e *script.Error
	if errors.As(err, &e) {
		fmt.Println(e)
		fmt.Println(e.Snippet)
	}
	// Output:
	// replicas.lua:3:10: attempt to perform arithmetic on a nil value (obj.spec.replicas)
	//   return obj.spec.replicas + 1
	//          ^
}
