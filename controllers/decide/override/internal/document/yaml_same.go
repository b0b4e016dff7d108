// SPDX-License-Identifier: Apache-2.0

package document

import yamlv3 "go.yaml.in/yaml/v3"

// sameTree reports whether two trees mean the same: the same values with the same types,
// anchors and aliases, keys in the same order.
func sameTree(a, b *yamlv3.Node) bool {
	return same(a, b, map[*yamlv3.Node]*yamlv3.Node{})
}

// same compares two nodes; anchors holds which nodes with an anchor belong together.
func same(a, b *yamlv3.Node, anchors map[*yamlv3.Node]*yamlv3.Node) bool {
	if a.Kind != b.Kind || a.Anchor != b.Anchor || len(a.Content) != len(b.Content) {
		return false
	}
	switch a.Kind {
	case yamlv3.AliasNode:
		return a.Value == b.Value && anchors[a.Alias] == b.Alias
	case yamlv3.DocumentNode:
	default:
		if a.ShortTag() != b.ShortTag() || a.Value != b.Value {
			return false
		}
	}
	if a.Anchor != "" {
		anchors[a] = b
	}
	for i := range a.Content {
		if !same(a.Content[i], b.Content[i], anchors) {
			return false
		}
	}
	return true
}
