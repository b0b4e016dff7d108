// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"fmt"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

// ConfigurationName is the name of both webhook configurations. Mutating configurations
// are called in the order of their names: this one comes after those of policy engines,
// which may complete what is refused here.
const ConfigurationName = "webhook.dragoman.io"

// target is whom the API server calls.
type target struct {
	// url is what the paths of webhooks are appended to, and authorities the PEM bundle of
	// its certificate.
	url         string
	authorities []byte
	// user is the name of the control plane's own user.
	user string
}

// mutatingConfiguration returns the configuration of the webhooks that set defaults.
func (t target) mutatingConfiguration(definitions []*apiextensionsv1.CustomResourceDefinition) *admissionregistrationv1.MutatingWebhookConfiguration {
	c := &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: ConfigurationName}}
	for _, d := range definitions {
		if isInternal(d) {
			continue // what the control plane writes has no defaults that depend on other fields
		}
		c.Webhooks = append(c.Webhooks, admissionregistrationv1.MutatingWebhook{
			Name: webhookName(d), ClientConfig: t.client(mutatingPath(d)), Rules: rules(d), MatchConditions: t.conditions(d),
			FailurePolicy: ptr.To(admissionregistrationv1.Fail), MatchPolicy: ptr.To(admissionregistrationv1.Equivalent),
			NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{},
			SideEffects: ptr.To(admissionregistrationv1.SideEffectClassNone), TimeoutSeconds: ptr.To(timeout(d)),
			AdmissionReviewVersions: []string{"v1"}, ReinvocationPolicy: ptr.To(admissionregistrationv1.NeverReinvocationPolicy),
		})
	}
	return c
}

// validatingConfiguration returns the configuration of the webhooks that validate.
func (t target) validatingConfiguration(definitions []*apiextensionsv1.CustomResourceDefinition) *admissionregistrationv1.ValidatingWebhookConfiguration {
	c := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: ConfigurationName}}
	for _, d := range definitions {
		c.Webhooks = append(c.Webhooks, admissionregistrationv1.ValidatingWebhook{
			Name: webhookName(d), ClientConfig: t.client(validatingPath(d)), Rules: rules(d), MatchConditions: t.conditions(d),
			FailurePolicy: ptr.To(admissionregistrationv1.Fail), MatchPolicy: ptr.To(admissionregistrationv1.Equivalent),
			NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{},
			SideEffects: ptr.To(admissionregistrationv1.SideEffectClassNone), TimeoutSeconds: ptr.To(timeout(d)),
			AdmissionReviewVersions: []string{"v1"},
		})
	}
	return c
}

// webhookName and the paths are the published ones.
func webhookName(d *apiextensionsv1.CustomResourceDefinition) string {
	return strings.ToLower(d.Spec.Names.Kind) + ".karmada.io"
}

func mutatingPath(d *apiextensionsv1.CustomResourceDefinition) string {
	return "/mutate-" + strings.ToLower(d.Spec.Names.Kind)
}

func validatingPath(d *apiextensionsv1.CustomResourceDefinition) string {
	return "/validate-" + strings.ToLower(d.Spec.Names.Kind)
}

// isInternal reports whether the control plane itself writes the objects of a kind, a few
// for each template.
func isInternal(d *apiextensionsv1.CustomResourceDefinition) bool {
	return d.Spec.Group == workv1alpha1.GroupVersion.Group
}

// timeout returns the published timeout of a kind in seconds. Scripts are compiled.
func timeout(d *apiextensionsv1.CustomResourceDefinition) int32 {
	if d.Spec.Group == configv1alpha1.GroupVersion.Group {
		return 10
	}
	return 3
}

func (t target) client(path string) admissionregistrationv1.WebhookClientConfig {
	return admissionregistrationv1.WebhookClientConfig{URL: ptr.To(t.url + path), CABundle: t.authorities}
}

func rules(d *apiextensionsv1.CustomResourceDefinition) []admissionregistrationv1.RuleWithOperations {
	var versions []string
	for _, v := range d.Spec.Versions {
		versions = append(versions, v.Name)
	}
	return []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
		Rule: admissionregistrationv1.Rule{
			APIGroups: []string{d.Spec.Group}, APIVersions: versions, Resources: []string{d.Spec.Names.Plural},
			Scope: ptr.To(admissionregistrationv1.AllScopes),
		},
	}}
}

// conditions leave out what must not wait for the webhooks: what is being deleted, whose
// finalizers are removed by updates, and what the control plane writes itself.
func (t target) conditions(d *apiextensionsv1.CustomResourceDefinition) []admissionregistrationv1.MatchCondition {
	all := []admissionregistrationv1.MatchCondition{{Name: "not-being-deleted", Expression: "!has(object.metadata.deletionTimestamp)"}}
	if isInternal(d) && t.user != "" {
		all = append(all, admissionregistrationv1.MatchCondition{
			Name: "not-by-the-control-plane", Expression: fmt.Sprintf("request.userInfo.username != %s", celString(t.user)),
		})
	}
	return all
}

// celString returns a text as a literal of CEL.
func celString(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`).Replace(text) + "'"
}
