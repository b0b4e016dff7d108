// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/controllers/admission/certificate"
)

// installed lists the objects that are to be in the control plane.
func (c *Controller) installed(set certificate.Set) []client.Object {
	var all []client.Object
	if c.withPolicies {
		all = admissionPolicies()
	}
	if c.endpoint != nil {
		t := target{url: c.endpoint.url, authorities: set.Authorities, user: c.user}
		all = append(all, t.mutatingConfiguration(c.definitions), t.validatingConfiguration(c.definitions))
	}
	return all
}

// ensure creates an object, or changes what differs from it.
func (c *Controller) ensure(ctx context.Context, desired client.Object) error {
	current := desired.DeepCopyObject().(client.Object)
	err := c.Client.Get(ctx, client.ObjectKeyFromObject(desired), current)
	if apierrors.IsNotFound(err) {
		if err = c.Client.Create(ctx, desired); err == nil {
			ctrl.LoggerFrom(ctx).Info("created an admission object", "object", describe(desired))
		}
		return err
	}
	if err != nil {
		return err
	}
	before := current.DeepCopyObject().(client.Object)
	assign(current, desired)
	if equality.Semantic.DeepEqual(before, current) {
		return nil
	}
	if err := c.Patch(ctx, current, before); err != nil {
		return err
	}
	ctrl.LoggerFrom(ctx).Info("changed an admission object", "object", describe(desired))
	return nil
}

// assign copies what an admission object is for.
func assign(to, from client.Object) {
	switch to := to.(type) {
	case *admissionregistrationv1.MutatingWebhookConfiguration:
		to.Webhooks = from.(*admissionregistrationv1.MutatingWebhookConfiguration).Webhooks
	case *admissionregistrationv1.ValidatingWebhookConfiguration:
		to.Webhooks = from.(*admissionregistrationv1.ValidatingWebhookConfiguration).Webhooks
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		to.Spec = from.(*admissionregistrationv1.ValidatingAdmissionPolicy).Spec
	case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
		to.Spec = from.(*admissionregistrationv1.ValidatingAdmissionPolicyBinding).Spec
	}
}

// uninstall removes the configurations of webhooks that are not served any more, which
// would have the API server refuse what they are about.
func (c *Controller) uninstall(ctx context.Context) error {
	for _, o := range []client.Object{
		&admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: ConfigurationName}},
		&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: ConfigurationName}},
	} {
		err := c.Reader.Get(ctx, client.ObjectKeyFromObject(o), o)
		if err == nil {
			err = c.Client.Delete(ctx, o)
		}
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("remove %s, because no webhooks are served: %w", describe(o), err)
		}
		if err == nil {
			ctrl.LoggerFrom(ctx).Info("removed an admission object, because no webhooks are served", "object", describe(o))
		}
	}
	return nil
}

func describe(o client.Object) string { return fmt.Sprintf("%T %s", o, o.GetName()) }
