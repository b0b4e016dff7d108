// SPDX-License-Identifier: Apache-2.0

package attack

import "github.com/dragoman-io/dragoman/engine/script"

// celFunctions are large and deep arguments of the functions of kube.
func celFunctions() []Attack {
	return []Attack{
		{"kube.merge in a loop", Forever(`kube.merge(object.fields, object.fields).size() > 0`), Limited},
		{"kube.merge doubled", Nested(40, "{'a': 1}", "kube.merge({'a': $}, {'b': $})", "$ == $"), Limited},
		{"kube.get of a long path", Forever(`kube.get(object, object.big) == null`), Limited},
		{"kube.get of a list of keys", Forever(`kube.get(object, object.names) == null`), Limited},
		{"kube.list doubled", Nested(40, "kube.list(1)", "kube.list($, $)", "$ == $"), Limited},
		{"kube.list as the result", Nested(40, "kube.list(1)", "kube.list($, $)", "$"), Limited},
		{"kube.list as far as it goes", Nested(14, "kube.list(1)", "kube.list($, $)", "{'a': $}"), Harmless},
		{"kube.concat as the result", Nested(40, "kube.list(1)", "kube.concat(kube.list($), kube.list($))", "$"), Limited},
		{"kube.merge as the result", Nested(40, "{'a': 1}", "kube.merge({'a': $}, {'b': $})", "$"), Limited},
		{"kube.references with a long namespace", `kube.references("Secret", object.big, "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m")`, Limited},
		{"kube.flinkMemory of digits", Forever(`kube.flinkMemory(object.digits) != "" || true`), Limited},
		{"kube.accuratePodRequirements of containers", Forever(`kube.accuratePodRequirements({"spec": {"containers": object.maps}}) == null || true`), Limited},
		{"kube.mergeConditions of maps", Forever(`kube.mergeConditions(object.maps) == [] || true`), Limited},
		{"kube.worstConditions of maps", Forever(`kube.worstConditions(object.maps, ["A"]) == [] || true`), Limited},
		{"kube.orNil of maps", Forever(`kube.orNil(object.maps) == null || true`), Limited},
		{"kube.resourceAdd of an exponent", `kube.resourceAdd("1e999999", "1")`, script.Type},
		{"kube.resourceAdd of digits", `kube.resourceAdd(object.digits, "1")`, script.Type},
		{"kube.resourceAdd far apart", Forever(`kube.resourceAdd("1e15", "1n") != ""`), Limited},
		{"kube.getResourceQuantity of an exponent", `kube.getResourceQuantity("0.1e-99999999")`, script.Type},
		{"kube.getResourceQuantity of digits", Forever(`kube.getResourceQuantity(object.digits) > 0.0 || true`), Limited},
		{"kube.getPodDependencies of volumes", Forever(`kube.getPodDependencies({"spec": {"volumes": object.maps}}, "ns") == [] || true`), Limited},
		{"kube.condition of many", Forever(`kube.condition({"status": {"conditions": object.maps}}, "none") == null`), Limited},
	}
}
