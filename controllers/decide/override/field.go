// SPDX-License-Identifier: Apache-2.0

package override

import (
	"encoding/base64"
	"errors"
	"fmt"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/budget"
	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/document"
	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/pointer"
)

// field changes the document that one field holds as text. Its operations are done together
// or not at all.
func field(d *draft, o *policyv1alpha1.FieldOverrider) error {
	path, err := d.path(o.FieldPath)
	if err != nil {
		return inPart("fieldPath", err)
	}
	value, err := lookup(d.object, path)
	if err != nil {
		return inPart("fieldPath", err)
	}
	text, ok := value.(string)
	if !ok {
		return inPart("fieldPath", fmt.Errorf("%s is %s; a document stands in a string", path, kindOf(value)))
	}
	if err := d.takeText(len(text)); err != nil {
		return inPart("fieldPath", err)
	}
	encoded := isSecretData(d.object, path)
	if encoded {
		decoded, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return inPart("fieldPath", fmt.Errorf("%s is not base64, as data of a Secret is: %w", path, err))
		}
		text = string(decoded)
	}
	changed, err := changeDocument(d.budget, text, o)
	if err != nil {
		return err
	}
	if changed == text {
		return nil
	}
	if encoded {
		changed = base64.StdEncoding.EncodeToString([]byte(changed))
	}
	return d.set(path, changed)
}

// isSecretData reports whether a path is an entry of a Secret's data.
func isSecretData(object map[string]any, path pointer.Pointer) bool {
	return object["apiVersion"] == "v1" && object["kind"] == "Secret" && len(path) == 2 && path[0] == "data"
}

// changeDocument returns the text of a document with the operations done.
func changeDocument(b *budget.Budget, text string, o *policyv1alpha1.FieldOverrider) (string, error) {
	edit := editor{budget: b, text: text}
	switch {
	case len(o.JSON) > 0 && len(o.YAML) > 0:
		return "", errors.New("json and yaml exclude each other")
	case len(o.JSON) > 0:
		return edit.document("json", document.EditJSON, jsonOperations(o.JSON))
	case len(o.YAML) > 0:
		return edit.document("yaml", document.EditYAML, yamlOperations(o.YAML))
	}
	return "", errors.New("there are neither json nor yaml operations")
}

// editor is a text that is to be edited as a document of some form.
type editor struct {
	budget *budget.Budget
	text   string
}

// document returns the text with the operations done, and names the operation that failed.
func (e editor) document(form string, edit func(*budget.Budget, string, []document.Operation) (string, error), all []document.Operation) (string, error) {
	changed, err := edit(e.budget, e.text, all)
	var failed *document.OperationError
	if errors.As(err, &failed) {
		return "", inPart(fmt.Sprintf("%s[%d]", form, failed.Index), failed.Err)
	}
	if err != nil {
		return "", inPart(form, err)
	}
	return changed, nil
}

func jsonOperations(items []policyv1alpha1.JSONPatchOperation) []document.Operation {
	all := make([]document.Operation, len(items))
	for i, o := range items {
		all[i] = document.Operation{Operator: document.Operator(o.Operator), Path: o.SubPath, Value: o.Value.Raw}
	}
	return all
}

func yamlOperations(items []policyv1alpha1.YAMLPatchOperation) []document.Operation {
	all := make([]document.Operation, len(items))
	for i, o := range items {
		all[i] = document.Operation{Operator: document.Operator(o.Operator), Path: o.SubPath, Value: o.Value.Raw}
	}
	return all
}
