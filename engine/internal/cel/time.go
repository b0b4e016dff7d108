// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"time"

	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// instant is the work of timestamp.
func (c *call) instant(impl *functions.Overload) work {
	parse := c.metered(impl, parsed)
	return func(r *run, args []ref.Val) ref.Val { return fixed(parse(r, args)) }
}

// instant returns the constant that timestamp makes of another.
func (d decorator) instant(inner interpreter.InterpretableCall, arg interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	constant, ok := arg.(interpreter.InterpretableConst)
	if !ok {
		return inner, nil
	}
	v := constant.Value().ConvertToType(types.TimestampType)
	if err, ok := v.(*types.Err); ok {
		return nil, &planError{node: inner.ID(), err: err}
	}
	return interpreter.NewConstValue(inner.ID(), fixed(v)), nil
}

// fixed returns a time with the offset that it has. Go returns a time whose offset is that
// of the host the zone of the host, where a sum with a duration may have another.
func fixed(v ref.Val) ref.Val {
	t, ok := v.(types.Timestamp)
	if !ok || t.Location() != time.Local {
		return v
	}
	_, offset := t.Zone()
	return types.Timestamp{Time: t.In(time.FixedZone("", offset))}
}
