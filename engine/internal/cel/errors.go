// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"errors"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/dragoman-io/dragoman/engine/internal/diag"
	"github.com/dragoman-io/dragoman/engine/script"
)

// failed makes the error of a run from that of cel-go.
func (p *program) failed(r *run, err error) error {
	if r.exceeded != nil {
		return p.fail(r.exceeded.Code, r.at, r.exceeded.Message)
	}
	message := diag.Clip(err.Error())
	var wrapped *script.Error
	if errors.As(err, &wrapped) {
		return p.fail(wrapped.Code, nodeOf(err), message)
	}
	if reason, ok := strings.CutPrefix(message, internalError); ok {
		if what, ok := strings.CutPrefix(reason, unhashable); ok {
			return p.fail(script.Type, r.node, badKey(what))
		}
		return p.fail(script.Internal, r.node, reason)
	}
	return p.typeError(nodeOf(err), message)
}

const (
	// internalError begins the message of cel-go for a panic, unhashable that of Go
	// for a map key that cannot be one.
	internalError = "internal error: "
	unhashable    = "runtime error: hash of unhashable type "
)

// badKey returns the message for a Go type that cannot be a map key.
func badKey(goType string) string {
	return "a key cannot be of type " + strings.ToLower(strings.TrimPrefix(goType, "types."))
}

// nodeOf returns the node that an error of cel-go names, 0 where it names none.
func nodeOf(err error) int64 {
	var e *types.Err
	if errors.As(err, &e) && e.NodeID() != noNode {
		return e.NodeID()
	}
	return 0
}

// typeError makes the error of a node that cannot be evaluated. The node of a
// path is the whole path: the key names the part of it that failed.
func (p *program) typeError(id int64, message string) *script.Error {
	message = tidy(message)
	e := p.node(id)
	if e == nil {
		return p.fail(script.Type, id, message)
	}
	if message == noOverload && e.Kind() == ast.CallKind {
		message += ": " + symbol(e.AsCall().FunctionName())
	}
	if key, ok := strings.CutPrefix(message, "no such key: "); ok {
		e = step(e, key)
	}
	failed := p.fail(script.Type, e.ID(), message)
	failed.Expression = form(e)
	return failed
}
