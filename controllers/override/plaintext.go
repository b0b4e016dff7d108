// SPDX-License-Identifier: Apache-2.0

package override

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/override/internal/pointer"
)

// plaintext does one operation of RFC 6902 on the object.
func plaintext(object map[string]any, o *policyv1alpha1.PlaintextOverrider) (map[string]any, error) {
	if err := knownOperator(o.Operator); err != nil {
		return nil, err
	}
	path, err := pointer.Parse(o.Path)
	if err != nil {
		return nil, err
	}
	p := patch{operator: o.Operator, path: path}
	if o.Operator != policyv1alpha1.OverriderOpRemove {
		if p.value, err = plainValue(o.Value); err != nil {
			return nil, err
		}
	}
	changed, err := p.apply(object)
	if err != nil {
		return nil, err
	}
	result, ok := changed.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: the object would become %s", o.Operator, kindOf(changed))
	}
	return result, nil
}

// plainValue returns the value of an item of a policy, whole numbers as int64. Absent is
// null.
func plainValue(raw apiextensionsv1.JSON) (any, error) {
	if len(raw.Raw) == 0 {
		return nil, nil
	}
	var value any
	if err := json.Unmarshal(raw.Raw, &value); err != nil {
		return nil, fmt.Errorf("read value: %w", err)
	}
	return value, nil
}

// knownOperator returns an error if an operator is none.
func knownOperator(o policyv1alpha1.OverriderOperator) error {
	switch o {
	case policyv1alpha1.OverriderOpAdd, policyv1alpha1.OverriderOpRemove, policyv1alpha1.OverriderOpReplace:
		return nil
	}
	return fmt.Errorf("operator %q is not add, remove or replace", o)
}
