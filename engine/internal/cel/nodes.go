// SPDX-License-Identifier: Apache-2.0

package cel

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// node is the base of the nodes that stand for the calls of instrument.
type node struct {
	id  int64
	arg interpreter.InterpretableV2
}

// ID returns the id of the node in the tree.
func (n *node) ID() int64 { return n.id }

// freeNode is a call that pays nothing. It names the node of an error.
type freeNode struct{ node }

// Exec makes the call.
func (n *freeNode) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	return labelled(n.id, n.arg.Exec(frame))
}

// Eval does what Exec does.
func (n *freeNode) Eval(a interpreter.Activation) ref.Val { return n.Exec(interpreter.AsFrame(a)) }

// roundNode pays for one round of a loop.
type roundNode struct {
	node
	price price
}

// Exec pays, and evaluates the step.
func (n *roundNode) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	r := runOf(frame)
	r.node = n.id
	r.pay(n.price)
	return n.arg.Exec(frame)
}

// Eval does what Exec does.
func (n *roundNode) Eval(a interpreter.Activation) ref.Val { return n.Exec(interpreter.AsFrame(a)) }

// keyNode pays for a key by its length.
type keyNode struct{ node }

// Exec evaluates the key, and pays.
func (n *keyNode) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := n.arg.Exec(frame)
	if _, ok := v.(types.Bytes); ok {
		return types.NewErrWithNodeID(n.id, "%s", badKey("bytes"))
	}
	if size := bytesOf(v); size >= gasBytes {
		r := runOf(frame)
		r.node = n.id
		r.charge(size / gasBytes)
	}
	return v
}

// Eval does what Exec does.
func (n *keyNode) Eval(a interpreter.Activation) ref.Val { return n.Exec(interpreter.AsFrame(a)) }

// rangeNode orders what a loop iterates over.
type rangeNode struct{ node }

// Exec evaluates what the loop walks.
func (n *rangeNode) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := n.arg.Exec(frame)
	switch x := v.(type) {
	case traits.Lister, *types.Err, *types.Unknown:
		return v
	case traits.Mapper:
		r := runOf(frame)
		r.node = n.id
		return ordered(&r.meter, x)
	}
	return types.NewErrWithNodeID(n.id, "a loop needs a list or a map, and this is of type %s", v.Type().TypeName())
}

// Eval does what Exec does.
func (n *rangeNode) Eval(a interpreter.Activation) ref.Val { return n.Exec(interpreter.AsFrame(a)) }

// entryNode refuses what is not optional.
type entryNode struct{ node }

// Exec evaluates the value of the entry.
func (n *entryNode) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := n.arg.Exec(frame)
	if _, ok := v.(*types.Optional); ok || types.IsUnknownOrError(v) {
		return v
	}
	return types.NewErrWithNodeID(n.id, "an entry with ? needs an optional value, and this is of type %s", v.Type().TypeName())
}

// Eval does what Exec does.
func (n *entryNode) Eval(a interpreter.Activation) ref.Val { return n.Exec(interpreter.AsFrame(a)) }

// orNode wraps or and orValue, whose errors have no position.
type orNode struct {
	node
	function string
}

// Exec evaluates the call.
func (n *orNode) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	v := n.arg.Exec(frame)
	if v == types.NoSuchOverloadErr() {
		return types.NewErrWithNodeID(n.id, "%s needs an optional value, such as object.?field or list[?0]", n.function)
	}
	return v
}

// Eval does what Exec does.
func (n *orNode) Eval(a interpreter.Activation) ref.Val { return n.Exec(interpreter.AsFrame(a)) }
