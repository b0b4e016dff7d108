// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine/script"
)

// Smoke runs a rule once on an object that has nothing but its identity, and reports
// whether it is fit to be activated: a run that meets a limit or breaks the engine
// is an error. A script may fail otherwise on so bare an object.
func (c *Compiler) Smoke(kind schema.GroupVersionKind, name Op, rule *Rule) error {
	found, err := entryOf(name)
	if err != nil {
		return err
	}
	op := found.describe()
	call := &script.Call{Entry: rule.entry(op), Names: op.ParamNames(), Params: rule.Params, Limits: c.limits(rule.Limits)}
	for _, p := range op.Params {
		call.Args = append(call.Args, p.Kind.bare(kind))
	}
	_, err = rule.Program.Run(call, decoderFunc(ignoreResults))
	var failure *script.Error
	if errors.As(err, &failure) {
		switch failure.Code {
		case script.Gas, script.Memory, script.Depth, script.Internal:
			return fmt.Errorf("a run on an empty %s failed: %w", kind.Kind, err)
		}
	}
	return nil
}

// decoderFunc makes a script.Decoder of a function.
type decoderFunc func([]any) error

// Decode calls the function.
func (t decoderFunc) Decode(results []any, _ script.Meter) error { return t(results) }

func ignoreResults([]any) error { return nil }
