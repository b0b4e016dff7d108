// SPDX-License-Identifier: Apache-2.0

package base

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/reference"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
)

// TemplateOf reads the template of a binding; it must not be changed. The error is a
// *reference.Error if the binding is not that of the object that it refers to: then
// nothing of the object was answered.
func (d Deps) TemplateOf(ctx context.Context, b workv1alpha2.Binding) (*unstructured.Unstructured, error) {
	if err := reference.Check(b, d.Skipped); err != nil {
		return nil, err
	}
	template, err := d.Templates.Get(ctx, templates.KeyOfReference(&b.GetSpec().Resource))
	if err != nil {
		return nil, err
	}
	if err := reference.CheckTemplate(b, template); err != nil {
		return nil, err
	}
	return template, nil
}
