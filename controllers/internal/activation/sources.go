// SPDX-License-Identifier: Apache-2.0

package activation

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
)

// The results of sources_total.
const (
	resultActivated = "activated"
	resultRefused   = "refused"
	resultRemoved   = "removed"
)

// layers are the names of the engine's layers.
var layers = map[engine.Layer]string{
	engine.Customizations: "customization", engine.Installed: "installed", engine.Embedded: "embedded",
}

// activated counts a source that is about to be active, in place of the one of its
// name, and begins to count the runs of its rules. hash identifies its content.
func (m *metrics) activated(layer engine.Layer, source engine.RuleSet, hash string) {
	if m == nil {
		return
	}
	m.sources.WithLabelValues(layers[layer], resultActivated).Inc()
	m.mu.Lock()
	defer m.mu.Unlock()
	key := sourceKey{layer, source.Name}
	last := m.revisions[key]
	m.revisions[key] = revision{source, hash}
	m.drop(layer, last.source, m.add(layer, source))
	if last.hash != hash {
		m.active.DeleteLabelValues(layers[layer], source.Name, last.hash)
	}
	m.active.WithLabelValues(layers[layer], source.Name, hash).Set(1)
}

// refused counts a source that is broken and was not activated.
func (m *metrics) refused(layer engine.Layer) {
	if m != nil {
		m.sources.WithLabelValues(layers[layer], resultRefused).Inc()
	}
}

// removed counts a source that is no longer active; one that is not known is fine.
func (m *metrics) removed(layer engine.Layer, name string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := sourceKey{layer, name}
	last, known := m.revisions[key]
	if !known {
		return
	}
	delete(m.revisions, key)
	m.drop(layer, last.source, nil)
	m.active.DeleteLabelValues(layers[layer], name, last.hash)
	m.sources.WithLabelValues(layers[layer], resultRemoved).Inc()
}

// add creates the meters of a source's rules, and returns them.
func (m *metrics) add(layer engine.Layer, source engine.RuleSet) map[*engine.Rule]meters {
	all := map[*engine.Rule]meters{}
	for kind, rules := range source.Kinds {
		for operation, rule := range rules {
			s := seriesOf(operation, kind, layer)
			m.answered[s]++
			all[rule] = append(all[rule], meter{
				series: s, of: kind.GroupKind(), evaluations: m.evaluations.WithLabelValues(s.operation, s.kind, s.layer),
				gas: m.gas.WithLabelValues(s.operation, s.layer), seconds: m.seconds.WithLabelValues(s.operation, s.layer),
			})
		}
	}
	for rule, meters := range all {
		m.meters.Store(rule, meters)
	}
	return all
}

// drop deletes the meters of a source's rules, but not those to keep, and the series
// that no source answers any more.
func (m *metrics) drop(layer engine.Layer, source engine.RuleSet, keep map[*engine.Rule]meters) {
	for kind, rules := range source.Kinds {
		for operation, rule := range rules {
			if keep[rule] == nil {
				m.meters.Delete(rule)
			}
			s := seriesOf(operation, kind, layer)
			if m.answered[s]--; m.answered[s] > 0 {
				continue
			}
			delete(m.answered, s)
			m.evaluations.Delete(s.labels())
			m.errors.DeletePartialMatch(s.labels())
		}
	}
}

func seriesOf(operation engine.Op, kind schema.GroupVersionKind, layer engine.Layer) series {
	return series{string(operation), kind.GroupKind().String(), layers[layer]}
}
