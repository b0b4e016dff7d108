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
	engine.Customizations: "customization", engine.Installed: "installed", engine.Embedded: "embedded", engine.Derived: "derived",
}

// begin starts counting the runs of a source's rules, in place of the source with its
// name. hash identifies its content; it is "" for rules that are not compiled yet. The
// function that it returns undoes that.
func (m *metrics) begin(layer engine.Layer, source engine.RuleSet, hash string) (undo func()) {
	if m == nil {
		return func() {}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := sourceKey{layer, source.Name}
	last, known := m.revisions[key]
	m.replace(key, revision{source, hash})
	return func() {
		if !known {
			m.end(key)
			return
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.replace(key, last)
	}
}

// replace puts a revision in the place of the one of its name. The lock is held.
func (m *metrics) replace(key sourceKey, next revision) {
	last := m.revisions[key]
	m.revisions[key] = next
	m.drop(key.layer, last.source, m.add(key.layer, next.source))
	if last.hash != next.hash {
		m.active.DeleteLabelValues(layers[key.layer], label(key.name), label(last.hash))
	}
	if next.hash != "" {
		m.active.WithLabelValues(layers[key.layer], label(key.name), label(next.hash)).Set(1)
	}
}

// count counts a source that was activated, refused or removed.
func (m *metrics) count(layer engine.Layer, result string) {
	if m != nil {
		m.sources.WithLabelValues(layers[layer], result).Inc()
	}
}

// removed counts a source that is no longer active; one that is not known is fine.
func (m *metrics) removed(layer engine.Layer, name string) {
	if m != nil && m.end(sourceKey{layer, name}) {
		m.count(layer, resultRemoved)
	}
}

// end stops counting the runs of a source's rules. It reports whether it was known, and
// compiled.
func (m *metrics) end(key sourceKey) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	last, known := m.revisions[key]
	if known {
		delete(m.revisions, key)
		m.drop(key.layer, last.source, nil)
		m.active.DeleteLabelValues(layers[key.layer], label(key.name), label(last.hash))
	}
	return known && last.hash != ""
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
			m.pending.Delete(s.labels())
		}
	}
}

func seriesOf(operation engine.Op, kind schema.GroupVersionKind, layer engine.Layer) series {
	return series{string(operation), label(kind.GroupKind().String()), layers[layer]}
}
