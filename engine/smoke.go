// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Smoke runs a rule once on an object that has nothing but its identity, and says
// whether it is fit to be activated: a run that meets a limit or breaks the engine
// is an error. That a script fails otherwise on so bare an object is its right.
func (c *Compiler) Smoke(kind schema.GroupVersionKind, op Operation, rule *Rule) error {
	call := &script.Call{Entry: rule.entry(&op), Names: op.Params, Params: rule.Params, Limits: c.limits(rule.Limits)}
	for _, name := range op.Params {
		call.Args = append(call.Args, bareArgument(name, kind))
	}
	_, err := rule.Program.Run(call, decoderFunc(ignoreResults))
	var failure *script.Error
	if errors.As(err, &failure) {
		switch failure.Code {
		case script.Gas, script.Memory, script.Depth, script.Internal:
			return fmt.Errorf("a run on an empty %s failed: %w", kind.Kind, err)
		}
	}
	return nil
}

// bareArgument returns the least value of a parameter.
func bareArgument(name string, kind schema.GroupVersionKind) any {
	switch name {
	case "items":
		return []any{}
	case "replicas":
		return int64(1)
	case "state":
		return map[string]any{}
	}
	apiVersion, kindName := kind.ToAPIVersionAndKind()
	return map[string]any{
		"apiVersion": apiVersion,
		"kind":       kindName,
		"metadata":   map[string]any{"namespace": "smoke", "name": "smoke"},
	}
}

// decoderFunc makes a script.Taker of a function.
type decoderFunc func([]any) error

// Decode calls the function.
func (t decoderFunc) Decode(results []any) error { return t(results) }

func ignoreResults([]any) error { return nil }
