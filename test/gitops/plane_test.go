// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"fmt"
	"maps"
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/engine/bundle/cases"
	"github.com/dragoman-io/dragoman/scripts"
)

// templateGeneration is that of each template: none of a member's objects has it, so that a generation of a
// member does not pass for one of the template.
const templateGeneration = 70

// plane computes what the control plane has of objects in members, as its controllers do.
type plane struct {
	rules   engine.Snapshot
	bundles []*bundle.Bundle
}

// newPlane has the rules of all bundles.
func newPlane(t *testing.T) *plane {
	t.Helper()
	compiler, err := engine.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	all, err := bundle.Loader{Compiler: compiler}.LoadAll(scripts.FS)
	if err != nil {
		t.Fatal(err)
	}
	interpreter := engine.NewInterpreter(engine.Options{})
	for _, b := range all {
		if err := interpreter.Set(engine.Embedded, b.Source); err != nil {
			t.Fatal(err)
		}
	}
	return &plane{interpreter.Snapshot(), all}
}

// casesOf returns the cases of a bundle.
func casesOf(t *testing.T, b *bundle.Bundle) []*cases.Case {
	t.Helper()
	all, err := cases.InBundle(scripts.FS, b)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// ofMembers are annotations that controllers write in members.
var ofMembers = []string{"rollout.argoproj.io/workload-generation"}

// template returns the template of which the object of a member was made.
func template(member *unstructured.Unstructured) *unstructured.Unstructured {
	o := member.DeepCopy()
	delete(o.Object, "status")
	o.SetDeletionTimestamp(nil)
	annotations := maps.Clone(o.GetAnnotations())
	for _, name := range ofMembers {
		delete(annotations, name)
	}
	o.SetAnnotations(annotations)
	o.SetGeneration(templateGeneration)
	return o
}

// propagated returns the object of a member as one that Dragoman has written: it has the generation of its
// template, and one of its own.
func propagated(member *unstructured.Unstructured) *unstructured.Unstructured {
	o := member.DeepCopy()
	annotations := maps.Clone(o.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[workv1alpha2.TemplateGenerationAnnotation] = strconv.Itoa(templateGeneration)
	o.SetAnnotations(annotations)
	if o.GetGeneration() == 0 {
		observed, _, _ := unstructured.NestedInt64(o.Object, "status", "observedGeneration")
		o.SetGeneration(max(observed, 1))
	}
	return o
}

// aggregated returns a template with the status that the control plane writes for the objects of members.
func (p *plane) aggregated(template *unstructured.Unstructured, members ...*unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if !p.rules.Supports(template.GroupVersionKind(), engine.AggregateStatus) {
		return template, nil
	}
	var items []any
	for i, member := range members {
		item, err := p.item("member"+strconv.Itoa(i+1), member)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	next, err := p.rules.Aggregate(template, items)
	if err != nil {
		return nil, err
	}
	o := template.DeepCopy()
	if next.Object["status"] != nil {
		o.Object["status"] = next.Object["status"]
	}
	return o, nil
}

// item returns what a member reports of an object.
func (p *plane) item(cluster string, member *unstructured.Unstructured) (map[string]any, error) {
	item := map[string]any{"clusterName": cluster, "applied": true}
	status, err := p.rules.Status(member)
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	if status != nil {
		item["status"] = status
	}
	health := workv1alpha2.ResourceUnknown
	if p.rules.Supports(member.GroupVersionKind(), engine.InterpretHealth) {
		if health, err = p.rules.Health(member); err != nil {
			return nil, fmt.Errorf("health: %w", err)
		}
	}
	item["health"] = string(health)
	return item, nil
}
