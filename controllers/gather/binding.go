// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// Binding reads the binding of an object; that of a binding is itself. It is an error if
// there is none.
func Binding(ctx context.Context, c client.Reader, object *unstructured.Unstructured) (workv1alpha2.Binding, error) {
	if b, is, err := AsBinding(object); is || err != nil {
		return b, err
	}
	b, exists, err := index.BindingFor(ctx, c, object)
	if err == nil && !exists {
		err = fmt.Errorf("%s %s has no binding: no policy propagates it; `dragoman explain` shows why", object.GetKind(), object.GetName())
	}
	return b, err
}

// AsBinding returns an object as the binding that it is, or false.
func AsBinding(object *unstructured.Unstructured) (workv1alpha2.Binding, bool, error) {
	var b workv1alpha2.Binding
	switch object.GroupVersionKind() {
	case workv1alpha2.GroupVersion.WithKind("ResourceBinding"):
		b = &workv1alpha2.ResourceBinding{}
	case workv1alpha2.GroupVersion.WithKind("ClusterResourceBinding"):
		b = &workv1alpha2.ClusterResourceBinding{}
	default:
		return nil, false, nil
	}
	return b, true, convert(object, b)
}

// convert reads an object into one of its kind.
func convert(object *unstructured.Unstructured, into any) error {
	raw, err := object.MarshalJSON()
	if err != nil {
		return fmt.Errorf("read %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	if err := json.Unmarshal(raw, into); err != nil { // it names the field, unlike the converter
		return fmt.Errorf("read %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}
