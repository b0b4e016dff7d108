// SPDX-License-Identifier: Apache-2.0

package builtin

import "errors"

// A map of another kind than a function wants answers nothing, and that looks like an object
// that has nothing. The checks here refuse what can only be a mistake, and nothing that an
// object in the right place may be. The fields that are texts are looked at first: a look at a
// map makes a view of it, which costs the script.

// wholeObject refuses a part of an object in place of the object: a map without any of the
// fields that an object has beside others.
func wholeObject(v any) error {
	for _, key := range [...]string{"kind", "apiVersion", "metadata", "status", "spec"} {
		if has(v, key) {
			return nil
		}
	}
	if isEmpty(v) {
		return nil
	}
	return errors.New("must be a whole object, with metadata, and not a part of one")
}

// has reports whether a map has a key; null under it does not count where it is read in
// place.
func has(v any, key string) bool {
	if m, ok := v.(map[string]any); ok {
		_, ok = m[key]
		return ok
	}
	return field(v, key) != nil
}

// isEmpty reports whether v has no parts.
func isEmpty(v any) bool {
	switch x := v.(type) {
	case map[string]any:
		return len(x) == 0
	case []any:
		return len(x) == 0
	case Node:
		return x.Empty()
	}
	return true
}

// notAStatus refuses a map without a status that is the status of an object in place of the
// object: it has conditions, and nothing of what every object has.
func notAStatus(v any) error {
	for _, key := range [...]string{"kind", "apiVersion", "metadata"} {
		if field(v, key) != nil {
			return nil
		}
	}
	if n, _ := items(field(v, "conditions")); n == 0 {
		return nil
	}
	return errors.New("has conditions itself, and no status that has them; pass the object whose status it is, or its list of conditions")
}

// isPodSpec reports whether a map has a field by which the spec of a pod is known.
func isPodSpec(m map[string]any) bool {
	for _, key := range [...]string{
		"containers", "initContainers", "volumes", "nodeSelector", "affinity", "tolerations",
		"serviceAccountName", "imagePullSecrets", "restartPolicy", "priorityClassName",
	} {
		if m[key] != nil {
			return true
		}
	}
	return false
}

// podTemplate refuses what holds a pod template, or is its spec, in place of the template.
func podTemplate(v any) error {
	m, _ := v.(map[string]any)
	spec := mapAt(m, "spec")
	switch {
	case spec["containers"] != nil:
	case mapAt(spec, "template") != nil:
		return errors.New("is an object, and not its pod template; pass spec.template")
	case mapAt(spec, "jobTemplate") != nil:
		return errors.New("is an object, and not its pod template; pass spec.jobTemplate.spec.template")
	case m["spec"] != nil:
	case mapAt(m, "template") != nil:
		return errors.New("has the pod template in its field template; pass that")
	case isPodSpec(m):
		return errors.New("is the spec of a pod; pass the pod template, a map that has it as spec")
	}
	return nil
}

// isDivision refuses a map that is no division.
func isDivision(v any) error {
	if m, ok := v.(map[string]any); ok && len(m) > 0 && m["shares"] == nil && m["cluster"] == nil {
		return errors.New("must be a division, with cluster and shares")
	}
	return nil
}
