// SPDX-License-Identifier: Apache-2.0

package author

import (
	"strings"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
)

// evalOutputs are the forms of an answer of eval.
var evalOutputs = []string{"yaml", "json", "diff"}

// changing lists the operations that return the object that they are asked about, of which -o diff shows what
// changes.
func changing() string {
	var names []string
	for _, op := range engine.Operations() {
		if op.Patch {
			names = append(names, string(op.Name))
		}
	}
	return strings.Join(names, ", ")
}

// encode returns the answer about one object in the form of the flag output.
func (o *evalOptions) encode(op engine.Operation, q engine.Request, answer map[string]any) ([]byte, error) {
	if o.output != "diff" {
		return verb.Encode(o.output, answer)
	}
	of := q.Object.GetKind() + " " + strings.TrimPrefix(q.Object.GetNamespace()+"/"+q.Object.GetName(), "/")
	return verb.Diff(of, q.Object.Object, of+" after "+string(op.Name), answer[op.Results[0].Name])
}
