package engine

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// snapshot is an immutable set of rules: for each kind and operation the rules
// in the order in which they are asked.
type snapshot struct {
	kinds map[schema.GroupVersionKind]*kindRules
}

type kindRules [operationCount][]*Rule

// rules gives the rules of a kind and operation, the one to ask first.
func (s *snapshot) rules(kind schema.GroupVersionKind, operation int) []*Rule {
	k := s.kinds[kind]
	if k == nil {
		return nil
	}
	return k[operation]
}

// with gives a snapshot in which the touched kinds are built anew from the
// layers; all others are shared with s.
func (s *snapshot) with(layers *[layerCount]map[string]Source, touched map[schema.GroupVersionKind]bool) *snapshot {
	next := &snapshot{kinds: maps.Clone(s.kinds)}
	if next.kinds == nil {
		next.kinds = map[schema.GroupVersionKind]*kindRules{}
	}
	for kind := range touched {
		if k := buildKind(layers, kind); k != nil {
			next.kinds[kind] = k
		} else {
			delete(next.kinds, kind)
		}
	}
	return next
}

// buildKind collects the rules of one kind: for each operation those of the first
// layer that has any, by the name of their source. It gives nil where there are
// none.
func buildKind(layers *[layerCount]map[string]Source, kind schema.GroupVersionKind) *kindRules {
	var k *kindRules
	for _, sources := range layers {
		var layer kindRules
		for _, name := range slices.Sorted(maps.Keys(sources)) {
			for operation, rule := range sources[name].Kinds[kind] {
				if i := indexOf(operation); i >= 0 {
					layer[i] = append(layer[i], rule)
				}
			}
		}
		for i := range layer {
			if len(layer[i]) == 0 {
				continue
			}
			if k == nil {
				k = &kindRules{}
			}
			if len(k[i]) == 0 {
				k[i] = layer[i]
			}
		}
	}
	return k
}
