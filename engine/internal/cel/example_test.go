// SPDX-License-Identifier: Apache-2.0

package cel_test

import (
	"fmt"

	"github.com/dragoman-io/dragoman/engine/internal/cel"
	"github.com/dragoman-io/dragoman/engine/script"
)

// printer prints what a run returned.
type printer struct{}

func (printer) Decode(results []any, _ script.Meter) error {
	fmt.Println(results[0])
	return nil
}

func Example() {
	compiler, err := cel.New(nil)
	if err != nil {
		panic(err)
	}
	variables := []cel.Variable{{Name: "object"}}
	program, err := compiler.Compile("health.cel", `object.status.readyReplicas >= object.spec.replicas`, variables, script.Limits{})
	if err != nil {
		panic(err)
	}
	for _, object := range []any{
		map[string]any{"spec": map[string]any{"replicas": int64(2)}, "status": map[string]any{"readyReplicas": int64(2)}},
		map[string]any{"spec": map[string]any{"replicas": int64(2)}, "status": map[string]any{}},
	} {
		usage, err := program.Run(&script.Call{Names: []string{"object"}, Args: []any{object}}, printer{})
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println("gas:", usage.Gas)
	}
	_, err = compiler.Compile("health.cel", `object.status.phase = "Running"`, variables, script.Limits{})
	fmt.Println(err)
	// Output:
	// true
	// gas: 7
	// health.cel:1:14: no such key: readyReplicas
	// gas: 7
	// health.cel:1:21: unexpected '='
}
