// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// unserved is a control plane that serves no kind.
type unserved struct{ client.Reader }

func (unserved) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return &meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: "example.com", Kind: "Site"}}
}

func TestWhatIsNotServedIsNotThere(t *testing.T) {
	if all, err := customizations(t.Context(), unserved{}, schema.GroupVersionKind{}); err != nil || all != nil {
		t.Errorf("customizations: %v, %v", all, err)
	}
	if all, err := rebalancers(t.Context(), unserved{}, nil); err != nil || all != nil {
		t.Errorf("rebalancers: %v, %v", all, err)
	}
	if _, err := placementRules(t.Context(), unserved{}); err != nil {
		t.Errorf("placement rules: %v", err)
	}
}
