// SPDX-License-Identifier: Apache-2.0

// Package skip decides which objects of the control plane are never propagated: its own
// kinds, what its API server and controllers write by themselves, and what the
// configuration excludes. Kinds, namespaces and names in, a decision out; it knows no
// cluster.
package skip

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/api/names"
)

// DefaultNamespaces are the patterns of namespaces that are skipped where nothing else is
// configured.
var DefaultNamespaces = []string{"kube-.*"}

// Rules are what is skipped. The nil Rules skip what is always skipped, and the
// DefaultNamespaces. They are immutable.
type Rules struct {
	groups     map[string]bool
	versions   map[schema.GroupVersion]bool
	kinds      map[schema.GroupVersionKind]bool // the kind in lower case
	namespaces []*regexp.Regexp
}

// defaults are the Rules without a configuration.
var defaults = &Rules{namespaces: []*regexp.Regexp{regexp.MustCompile("^(?:kube-.*)$")}}

// New returns the rules of a configuration in its published form. The APIs are separated
// by semicolons: group, group/version or group/version/kind,kind, where the core group is
// written as the version alone, as in v1/Secret. The namespaces are regular expressions
// that a name must match as a whole.
func New(apis string, namespaces []string) (*Rules, error) {
	r := &Rules{groups: map[string]bool{}, versions: map[schema.GroupVersion]bool{}, kinds: map[schema.GroupVersionKind]bool{}}
	for _, api := range strings.Split(apis, ";") {
		if api = strings.TrimSpace(api); api == "" {
			continue
		}
		if err := r.add(api); err != nil {
			return nil, err
		}
	}
	for _, pattern := range namespaces {
		compiled, err := regexp.Compile("^(?:" + pattern + ")$")
		if err != nil {
			return nil, fmt.Errorf("namespace pattern %q: %w", pattern, err)
		}
		r.namespaces = append(r.namespaces, compiled)
	}
	return r, nil
}

// coreVersion matches the versions of Kubernetes APIs, which alone mean the core group.
var coreVersion = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// add adds one API of the configuration.
func (r *Rules) add(api string) error {
	parts := strings.Split(api, "/")
	if coreVersion.MatchString(parts[0]) {
		parts = append([]string{""}, parts...)
	}
	for i, part := range parts {
		if part == "" && i > 0 {
			return fmt.Errorf("API %q: a part is empty; write group, group/version or group/version/kind,kind", api)
		}
	}
	switch len(parts) {
	case 1:
		r.groups[parts[0]] = true
	case 2:
		r.versions[schema.GroupVersion{Group: parts[0], Version: parts[1]}] = true
	case 3:
		for _, kind := range strings.Split(parts[2], ",") {
			if kind = strings.ToLower(strings.TrimSpace(kind)); kind != "" {
				r.kinds[schema.GroupVersionKind{Group: parts[0], Version: parts[1], Kind: kind}] = true
			}
		}
	default:
		return fmt.Errorf("API %q has %d parts; write group, group/version or group/version/kind,kind", api, len(parts))
	}
	return nil
}

// Kind reports whether the objects of a kind are never propagated.
func (r *Rules) Kind(kind schema.GroupVersionKind) bool {
	if own(kind) {
		return true
	}
	if r == nil {
		return false
	}
	lower := schema.GroupVersionKind{Group: kind.Group, Version: kind.Version, Kind: strings.ToLower(kind.Kind)}
	return r.groups[kind.Group] || r.versions[kind.GroupVersion()] || r.kinds[lower]
}

// ownGroups are the groups of the control plane itself, the published ones that it does not serve
// among them, and those of what its parts report and elect by. Users may have groups that end alike.
var ownGroups = map[string]bool{
	"interpreter.dragoman.io": true, "events.k8s.io": true, "coordination.k8s.io": true,
	"apps.karmada.io": true, "autoscaling.karmada.io": true, "cluster.karmada.io": true, "config.karmada.io": true,
	"networking.karmada.io": true, "operator.karmada.io": true, "policy.karmada.io": true, "remedy.karmada.io": true,
	"search.karmada.io": true, "work.karmada.io": true,
}

// own reports whether a kind is of the control plane itself, or is what its parts report
// and elect by.
func own(kind schema.GroupVersionKind) bool {
	return ownGroups[kind.Group] || kind.Group == "" && kind.Kind == "Event"
}

// Object reports whether one object is never propagated: because of its kind, of its
// namespace, or as the object of a skipped namespace itself.
func (r *Rules) Object(kind schema.GroupVersionKind, namespace, name string) bool {
	if r.Kind(kind) {
		return true
	}
	if kind.Group != "" {
		return namespace != "" && r.namespace(namespace)
	}
	switch kind.Kind {
	case "Namespace":
		return r.namespace(name)
	case "ConfigMap":
		if namespace == "kube-system" && name == "extension-apiserver-authentication" {
			return true // the API server writes it for itself
		}
	}
	return namespace != "" && r.namespace(namespace)
}

// namespace reports whether the objects of a namespace are skipped.
func (r *Rules) namespace(name string) bool {
	if names.IsReservedNamespace(name) {
		return true
	}
	if r == nil {
		r = defaults
	}
	for _, pattern := range r.namespaces {
		if pattern.MatchString(name) {
			return true
		}
	}
	return false
}
