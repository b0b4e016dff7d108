// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/source"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
)

// sample is an object as a member has it.
type sample struct {
	name   string
	object *unstructured.Unstructured
}

// silent is the name of the sample without a status: one that has just been created.
const silent = "nothing reported"

// alike are samples of one kind with one spec, so that they can be copies of one template.
type alike struct {
	// kind is the bundle and the kind, as "kubernetes/Job".
	kind    string
	samples []sample
	// derived are samples with another observedGeneration: as it is when the controller has seen the object, and
	// when it has not.
	derived []sample
}

// samples returns the objects of members that cases have: those that are observed, and those that
// the items of aggregates report.
func (p *plane) samples(t *testing.T) []alike {
	t.Helper()
	bySpec := map[string]*alike{}
	for _, b := range p.bundles {
		for _, c := range casesOf(t, b) {
			for _, o := range membersOf(c) {
				p.add(bySpec, b.Name, sample{c.Name, o})
			}
		}
	}
	return sorted(bySpec)
}

// published returns the samples in the files of a folder: the objects of cases, and others as they are.
func (p *plane) published(t *testing.T, folder string) []alike {
	t.Helper()
	bySpec := map[string]*alike{}
	err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !cases.IsYAML(file) {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		found, err := cases.Read(nil, file, data)
		if err != nil {
			return err
		}
		var objects []*unstructured.Unstructured
		if len(found) == 0 {
			objects, err = source.Objects(file, data)
		}
		for _, c := range found {
			objects = append(objects, membersOf(c)...)
		}
		for _, o := range objects {
			if bundle := p.bundleOf(o.GroupVersionKind()); bundle != "" {
				p.add(bySpec, bundle, sample{filepath.Base(file) + " " + o.GetName(), o})
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sorted(bySpec)
}

// bundleOf returns the bundle that has the kind, "" where none has.
func (p *plane) bundleOf(kind schema.GroupVersionKind) string {
	for _, b := range p.bundles {
		if _, has := b.Source.Kinds[kind]; has {
			return b.Name
		}
	}
	return ""
}

// aggregating returns the kinds, with their bundles, that have a script for AggregateStatus.
func (p *plane) aggregating() []string {
	var all []string
	for _, b := range p.bundles {
		for kind := range b.Source.Kinds {
			if kind.Kind != "" && p.rules.Supports(kind, engine.AggregateStatus) {
				all = append(all, b.Name+"/"+kind.Kind)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// sorted returns the samples in an order that does not change, with the silent one last.
func sorted(bySpec map[string]*alike) []alike {
	var all []alike
	for _, key := range slices.Sorted(maps.Keys(bySpec)) {
		group := *bySpec[key]
		none := template(group.samples[0].object)
		none.SetGeneration(1)
		group.samples = append(group.samples, sample{silent, propagated(none)})
		all = append(all, group)
	}
	return all
}

// add adds a sample, unless the scripts of its kind err about it: then the control plane writes no status. A phase
// that is no text is in no cluster.
func (p *plane) add(bySpec map[string]*alike, bundle string, s sample) {
	if _, _, err := unstructured.NestedString(s.object.Object, "status", "phase"); err != nil {
		return
	}
	s.object = propagated(s.object)
	of := template(s.object)
	if _, err := p.aggregated(of, s.object); err != nil {
		return
	}
	key, err := json.Marshal([]any{bundle, of.GetKind(), of.GetAPIVersion(), of.Object["spec"]})
	if err != nil {
		return // of a value that no object has
	}
	if bySpec[string(key)] == nil {
		bySpec[string(key)] = &alike{kind: bundle + "/" + of.GetKind()}
	}
	group := bySpec[string(key)]
	group.samples = append(group.samples, s)
	if _, has, _ := unstructured.NestedInt64(s.object.Object, "status", "observedGeneration"); has {
		generation := s.object.GetGeneration()
		group.derived = append(group.derived,
			sample{s.name + ", seen", observing(s.object, generation)}, sample{s.name + ", unseen", observing(s.object, generation-1)})
	}
}

// observing returns an object of which the controller has observed a generation.
func observing(o *unstructured.Unstructured, generation int64) *unstructured.Unstructured {
	next := o.DeepCopy()
	next.Object["status"].(map[string]any)["observedGeneration"] = generation
	return next
}

// membersOf returns the objects of members in a case.
func membersOf(c *cases.Case) []*unstructured.Unstructured {
	q := c.Question
	if q.Operation == engine.AggregateStatus {
		return reported(q)
	}
	o := q.Observed
	if o == nil {
		o = q.Object
	}
	if _, has := o.Object["status"].(map[string]any); !has {
		return nil
	}
	return []*unstructured.Unstructured{o}
}

// reported returns the objects that the items of an aggregate are about: the template with the status
// of each item.
func reported(q engine.Request) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, i := range q.Items {
		item, _ := i.(map[string]any)
		status, has := item["status"].(map[string]any)
		if !has {
			continue
		}
		o := q.Object.DeepCopy()
		status = (&unstructured.Unstructured{Object: status}).DeepCopy().Object
		generation, _ := status["generation"].(int64)
		delete(status, "generation")
		delete(status, "resourceTemplateGeneration")
		o.Object["status"] = status
		o.SetGeneration(generation)
		all = append(all, o)
	}
	return all
}
