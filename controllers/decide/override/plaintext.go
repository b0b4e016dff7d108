// SPDX-License-Identifier: Apache-2.0

package override

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/json"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// jsonBytesPerValue is how many bytes of JSON are read in the time in which a value is copied.
const jsonBytesPerValue = 4

// plaintext does one operation of RFC 6902 on the object.
func plaintext(d *draft, o *policyv1alpha1.PlaintextOverrider) error {
	if err := knownOperator(o.Operator); err != nil {
		return err
	}
	path, err := d.path(o.Path)
	if err != nil {
		return err
	}
	p := patch{operator: o.Operator, path: path}
	if o.Operator != policyv1alpha1.OverriderOpRemove {
		if err := d.budget.Take(len(o.Value.Raw) / jsonBytesPerValue); err != nil {
			return err
		}
		if p.value, err = plainValue(o.Value); err != nil {
			return err
		}
	}
	return d.do(p)
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
