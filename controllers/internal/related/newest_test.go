// SPDX-License-Identifier: Apache-2.0

package related

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/dragoman-io/dragoman/engine"
)

var (
	backups = engine.Related{
		Kind: schema.GroupVersionKind{Group: "web.example", Version: "v1", Kind: "Backup"}, Refers: engine.Reference{Name: "spec.for", Kind: "spec.kind"},
		Time: "status.at", Fields: []string{"status.path"}, Most: 10,
	}
	begin = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
)

// site returns the site of a name in the namespace web.
func site(name string) Workload {
	return Workload{schema.GroupKind{Group: "web.example", Kind: "Site"}, types.NamespacedName{Namespace: "web", Name: name}}
}

// object returns the workload as an object.
func (w Workload) object() *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetGroupVersionKind(w.WithVersion("v1"))
	o.SetNamespace(w.Namespace)
	o.SetName(w.Name)
	return o
}

// backup returns a backup of a site that was made some seconds after begin.
func backup(name, of string, seconds int) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "web.example/v1", "kind": "Backup", "metadata": map[string]any{"namespace": "web", "name": name, "creationTimestamp": begin.Format(time.RFC3339)},
		"spec":   map[string]any{"for": of, "kind": "Site"},
		"status": map[string]any{"at": begin.Add(time.Duration(seconds) * time.Second).Format(time.RFC3339), "path": "s3://" + name},
	}}
	return o
}

// keeper is what is kept of backups, with what wants them.
func keeper(wanted ...Workload) *kept {
	k := newKept(backups.Most, map[reference]int{})
	for _, w := range wanted {
		for _, r := range w.references() {
			k.wants[r]++
		}
	}
	return k
}

func (k *kept) put(o *unstructured.Unstructured) bool {
	read := backups.Read(o)
	_, short := k.set(types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}, &read)
	return short
}

func (k *kept) gone(name string) bool {
	_, short := k.set(types.NamespacedName{Namespace: "web", Name: name}, nil)
	return short
}

// total counts the objects that are kept.
func (k *kept) total() int {
	sum := 0
	for _, n := range k.references {
		sum += len(n.objects)
	}
	return sum
}

func TestKeepsTheNewestOfEachWorkload(t *testing.T) {
	k := keeper(site("home"))
	for i := range 5_000 {
		k.put(backup(fmt.Sprintf("b%d", i), "home", i*7919%5_000))
		k.put(backup(fmt.Sprintf("c%d", i), fmt.Sprintf("other%d", i), i))
		other := backup(fmt.Sprintf("d%d", i), "home", 1_000_000)
		_ = unstructured.SetNestedField(other.Object, fmt.Sprintf("Kind%d", i), "spec", "kind")
		k.put(other)
	}
	if most := backups.Most + mostOthers; k.total() != most || len(k.objects) > most || len(k.references) > mostOthers+1 {
		t.Errorf("%d objects by %d names of %d workloads are kept, want %d", k.total(), len(k.objects), len(k.references), most)
	}
	found, known := k.of(site("home"))
	if want := int64(begin.Add(4_999 * time.Second).UnixMilli()); len(found) != backups.Most || !known || found[0].Value["time"] != want {
		t.Errorf("%d objects (known: %t), the newest of %v, want %d, of %d", len(found), known, found[0].Value["time"], backups.Most, want)
	}
	for i := range 5_000 {
		k.gone(fmt.Sprintf("c%d", i))
		k.gone(fmt.Sprintf("d%d", i))
	}
	if k.total() != backups.Most || k.others != 0 || len(k.references) != 1 {
		t.Errorf("%d objects of %d workloads are kept of those that are gone", k.total(), len(k.references))
	}
}

// TestWhatIsKeptIsTheNewest makes random changes, and compares with all objects there are: what
// is kept are the newest of them, and as many as there may be unless a list is asked for.
func TestWhatIsKeptIsTheNewest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same each time
	w := site("home")
	k, all, short := keeper(w), map[string]engine.RelatedObject{}, false
	for step := range 4_000 {
		name := fmt.Sprintf("b%d", random.IntN(40))
		if random.IntN(3) == 0 {
			delete(all, name)
			short = k.gone(name) || short
		} else {
			o := backup(name, []string{"home", "home", "shop"}[random.IntN(3)], random.IntN(50))
			all[name] = backups.Read(o)
			short = k.put(o) || short
		}
		var there []engine.RelatedObject
		for _, o := range all {
			there = append(there, o)
		}
		want := engine.RelatedValues(backups.Select(w.object(), there))
		found, known := k.of(w)
		got := engine.RelatedValues(backups.Select(w.object(), found))
		switch {
		case !known && short:
		case len(got) > len(want) || len(got) < len(want) && !short || len(got) == 0 && len(want) > 0:
			t.Fatalf("step %d: %d are kept of %d (a list is asked for: %t)", step, len(got), len(want), short)
		default:
			if d := gocmp.Diff(want[:len(got)], got); d != "" {
				t.Fatalf("step %d: not the newest (-want +got):\n%s", step, d)
			}
		}
		if short && random.IntN(20) == 0 { // the list
			k, short = keeper(w), false
			for _, o := range all {
				k.set(types.NamespacedName{Namespace: "web", Name: o.Name}, &o)
			}
		}
	}
}

func TestAWantAfterObjectsWereDroppedAsksForAList(t *testing.T) {
	w := newWatch(backups, func([]types.NamespacedName) {}, func() {})
	w.kept = newKept(backups.Most, w.wants)
	for i := range mostOthers {
		w.kept.put(backup(fmt.Sprintf("b%d", i), fmt.Sprintf("s%d", i), i))
	}
	w.want(site("s1"))
	if found, known := w.of(site("s1")); len(found) != 1 || !known || len(w.again) != 0 {
		t.Errorf("before: %d objects (known: %t), %d lists are asked for", len(found), known, len(w.again))
	}
	w.kept.put(backup("more", "s", 1))
	w.kept.put(backup("most", "s", 1))
	w.want(site("s"))
	if found, known := w.of(site("s")); known || len(w.again) != 1 {
		t.Errorf("after: %d objects (known: %t), %d lists are asked for", len(found), known, len(w.again))
	}
	w.unwant(site("s"))
	w.unwant(site("s1"))
	if len(w.wants) != 0 || len(w.unknown) != 0 || w.kept.others > mostOthers || w.kept.others != w.kept.total() {
		t.Errorf("%v wanted, %v unknown, %d of %d objects counted", w.wants, w.unknown, w.kept.others, w.kept.total())
	}
}

// BenchmarkRelated looks for the newest of 20,000 objects: among all, and among those that are
// kept.
func BenchmarkRelated(b *testing.B) {
	w, k := site("home"), keeper(site("home"))
	var all []engine.RelatedObject
	for i := range 20_000 {
		o := backup(fmt.Sprintf("b%d", i), "home", i*7919%20_000)
		all = append(all, backups.Read(o))
		k.put(o)
	}
	for name, objects := range map[string]func() []engine.RelatedObject{
		"all":  func() []engine.RelatedObject { return all },
		"kept": func() []engine.RelatedObject { found, _ := k.of(w); return found },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = engine.RelatedValues(backups.Select(w.object(), objects()))
			}
			b.ReportMetric(float64(cmp.Or(len(objects()), 1)), "objects")
		})
	}
}
