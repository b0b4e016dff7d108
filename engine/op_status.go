package engine

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/engine/script"
)

var statusOp = &Op[*unstructured.Unstructured, map[string]any]{
	Operation: Operation{
		Name: InterpretStatus, Field: "statusReflection", Entry: "ReflectStatus", File: "status", index: 4,
		Params: []string{"object"}, Results: []string{"status"},
		Doc: "What of the object's status is worth to be sent to the control plane.",
	},
	bind: func(in *unstructured.Unstructured, args []any) []any { return append(args, in.Object) },
	decode: func(_ *unstructured.Unstructured, rule *Rule, results []any) (map[string]any, error) {
		if at(results, 0) == nil && rule.Published {
			return nil, script.Errorf(script.Result, "status: want a map, got nil")
		}
		return decodePlainMap("status", at(results, 0))
	},
}

// Status asks what of the status of a member's object to keep; nil where there is
// none. A kind without a script keeps its whole status. The answer may share parts
// with the object and must not be changed.
func (i *Interpreter) Status(object *unstructured.Unstructured) (map[string]any, error) {
	kind := object.GroupVersionKind()
	if !i.supports(kind, statusOp.index) {
		status, ok := object.Object["status"].(map[string]any)
		if !ok && object.Object["status"] != nil {
			return nil, script.Errorf(script.Type, "status: want a map, got a %s", script.TypeName(object.Object["status"]))
		}
		return status, nil
	}
	return run(i, statusOp, kind, object)
}
