// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"errors"
	"fmt"
	"math"
)

// component is kube.component.
func component() Function {
	return checked(Function{
		Name: "component",
		Params: []Param{
			{Name: "name", Type: "string"},
			{Name: "replicas", Type: "number", Optional: true, want: wantReplicas},
			{Name: "podTemplate", Type: "map", Optional: true, shape: podTemplate},
		},
		Result: "map",
		Doc:    "Returns a component for GetComponents: name, replicas (1 where it is nil), and what a replica needs as accuratePodRequirements has it for the template; replicaRequirements is left out where that is nothing.",
	}, func(args []any, m Meter) (any, error) {
		name, _ := arg(args, 0).(string)
		if name == "" {
			return refused(m, errors.New("name must be a string with characters"))
		}
		replicas, err := replicasOf(arg(args, 1))
		if err != nil {
			return refused(m, err)
		}
		m.Charge(4)
		out := map[string]any{"name": name, "replicas": replicas}
		if arg(args, 2) == nil {
			return out, nil
		}
		needs, err := podRequirements(arg(args, 2), 1, m)
		if needs != nil {
			out["replicaRequirements"] = needs
		}
		return out, err
	})
}

// wantReplicas is what a number of replicas must be.
const wantReplicas = "a whole number from 0 to 2147483647"

// replicasOf reads a number of replicas; nil is 1.
func replicasOf(v any) (int64, error) {
	if v == nil {
		return 1, nil
	}
	n, ok := whole(v)
	if !ok || n < 0 || n > math.MaxInt32 {
		return 0, errors.New("replicas must be " + wantReplicas + ", not " + shown(v))
	}
	return n, nil
}

// shown returns a value for a message: a number as it is, of any other value the type.
func shown(v any) string {
	switch v.(type) {
	case int64, float64:
		return fmt.Sprint(v)
	}
	return quoted(v)
}
