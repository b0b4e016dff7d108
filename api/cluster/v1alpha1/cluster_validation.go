// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"net/url"

	corev1 "k8s.io/api/core/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validate returns what is wrong with the cluster beyond what the schema refuses.
// The list is empty for a good cluster. Nothing is connected to.
func (c *Cluster) Validate() field.ErrorList {
	errs := validateName(c.Name, field.NewPath("metadata", "name"))
	return append(errs, c.Spec.validate(field.NewPath("spec"))...)
}

func validateName(name string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, message := range validation.IsDNS1123Label(name) {
		errs = append(errs, field.Invalid(path, name, message))
	}
	if len(name) > ClusterNameMaxLength {
		errs = append(errs, field.TooLong(path, name, ClusterNameMaxLength))
	}
	return errs
}

func (s *ClusterSpec) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch s.SyncMode {
	case Push, Pull:
	default:
		errs = append(errs, field.NotSupported(path.Child("syncMode"), s.SyncMode, []ClusterSyncMode{Push, Pull}))
	}
	if s.APIEndpoint != "" {
		errs = append(errs, validateEndpoint(s.APIEndpoint, path.Child("apiEndpoint"))...)
	}
	if s.ProxyURL != "" {
		errs = append(errs, validateProxy(s.ProxyURL, path.Child("proxyURL"))...)
	}
	errs = append(errs, s.SecretRef.validate(path.Child("secretRef"))...)
	errs = append(errs, s.ImpersonatorSecretRef.validate(path.Child("impersonatorSecretRef"))...)
	errs = append(errs, s.validateLocation(path)...)
	errs = append(errs, validateTaints(s.Taints, path.Child("taints"))...)
	return append(errs, validateModels(s.ResourceModels, path.Child("resourceModels"))...)
}

func validateEndpoint(text string, path *field.Path) field.ErrorList {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme == "" {
		return field.ErrorList{field.Invalid(path, text, "must be a URL with a host, for example https://10.0.0.1:6443")}
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return field.ErrorList{field.Invalid(path, u.Redacted(), "must have no user, query or fragment; credentials belong in secretRef")}
	}
	return nil
}

func validateProxy(text string, path *field.Path) field.ErrorList {
	u, err := url.Parse(text)
	if err != nil {
		return field.ErrorList{field.Invalid(path, text, "must be a URL, for example http://proxy:3128")}
	}
	switch u.Scheme {
	case "http", "https", "socks5":
		return nil
	}
	return field.ErrorList{field.Invalid(path, u.Redacted(), "must start with http://, https:// or socks5://")}
}

// validate returns what is missing from the reference; nil is fine.
func (r *LocalSecretReference) validate(path *field.Path) field.ErrorList {
	if r == nil {
		return nil
	}
	var errs field.ErrorList
	if r.Namespace == "" {
		errs = append(errs, field.Required(path.Child("namespace"), "give the namespace of the Secret"))
	}
	if r.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), "give the name of the Secret"))
	}
	return errs
}

func (s *ClusterSpec) validateLocation(path *field.Path) field.ErrorList {
	errs := validateLabelValue(s.Provider, path.Child("provider"))
	errs = append(errs, validateLabelValue(s.Region, path.Child("region"))...)
	errs = append(errs, validateLabelValue(s.Zone, path.Child("zone"))...)
	for i, zone := range s.Zones {
		errs = append(errs, validateLabelValue(zone, path.Child("zones").Index(i))...)
	}
	if s.Zone != "" && len(s.Zones) > 0 {
		errs = append(errs, field.Forbidden(path.Child("zone"), "zone and zones exclude each other; move zone into zones"))
	}
	return errs
}

func validateLabelValue(value string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, message := range validation.IsValidLabelValue(value) {
		errs = append(errs, field.Invalid(path, value, message))
	}
	return errs
}

// validateTaints follows the rules for the taints of nodes.
func validateTaints(taints []corev1.Taint, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[corev1.Taint]bool{}
	for i, taint := range taints {
		at := path.Index(i)
		errs = append(errs, metav1validation.ValidateLabelName(taint.Key, at.Child("key"))...)
		errs = append(errs, validateLabelValue(taint.Value, at.Child("value"))...)
		switch taint.Effect {
		case corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute:
		default:
			errs = append(errs, field.NotSupported(at.Child("effect"), taint.Effect,
				[]corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}))
		}
		identity := corev1.Taint{Key: taint.Key, Effect: taint.Effect}
		if seen[identity] {
			errs = append(errs, field.Duplicate(at, taint.Key+":"+string(taint.Effect)))
		}
		seen[identity] = true
	}
	return errs
}
