// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// operatorPhases are what befalls a control plane without a bad intention: a store that lost
// objects, CRDs that are removed, a manager that stands still, bundles with mistakes.
func operatorPhases() []phase {
	var (
		before []string
		seen   *sizes
	)
	return []phase{
		{name: "a quota of 12 characters that an older CRD let in, at the start", attack: unbounded, restart: true},
		{name: "ScriptBundles whose cases are wrong or large", attack: mistaken, check: activated},
		{
			name: "a store that lost templates, bindings and Works, at the start", restart: true,
			attack: func(ctx context.Context, s *site) (err error) {
				if err = s.arrived(ctx, 20); err == nil {
					before, err = s.uids(ctx)
				}
				return err
			},
			stopped: func(ctx context.Context, s *site) error { return s.forget(ctx) },
			check: func(ctx context.Context, s *site) error {
				now, err := s.uids(ctx)
				if err == nil && !slices.Equal(now, before) {
					err = fmt.Errorf("of %d objects that the store does not know the member has %d", len(before), len(now))
				}
				return err
			},
		},
		{name: "the CRD of Works removed and applied", beside: removed},
		{name: "a manager that stands still while policies and their templates come", beside: paused},
		{
			name: "bundles that count replicas, and are deleted",
			attack: func(ctx context.Context, s *site) (err error) {
				seen, err = s.sized(ctx, 20)
				return err
			},
			beside: counted,
			check:  func(context.Context, *site) error { return seen.changed() },
		},
	}
}

// unbounded stores a quota that the present CRD refuses.
func unbounded(ctx context.Context, s *site) error {
	const name = "federatedresourcequotas.policy.karmada.io"
	crd, err := s.hub.Resource(crds).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	spec := crd.DeepCopy().Object["spec"]
	loosen(crd.Object["spec"])
	if _, err := s.hub.Resource(crds).Update(ctx, crd, metav1.UpdateOptions{}); err != nil {
		return err
	}
	s.undo(func(ctx context.Context) error {
		o, err := s.hub.Resource(crds).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		o.Object["spec"] = spec
		_, err = s.hub.Resource(crds).Update(ctx, o, metav1.UpdateOptions{})
		return err
	})
	q := named("policy.karmada.io/v1alpha1", "FederatedResourceQuota", hostile, s.unique("quota"), nil)
	q["spec"] = map[string]any{"overall": map[string]any{"cpu": "1e-999999999"}}
	return s.await(ctx, "the older CRD", func(ctx context.Context) (bool, error) {
		_, err := s.hub.Resource(quotas).Namespace(hostile).Create(ctx, &unstructured.Unstructured{Object: q}, metav1.CreateOptions{})
		if err == nil {
			s.undo(func(ctx context.Context) error {
				return s.hub.Resource(quotas).Namespace(hostile).Delete(ctx, s.unique("quota"), metav1.DeleteOptions{})
			})
		}
		if apierrors.IsInvalid(err) {
			return false, nil
		}
		return err == nil, err
	})
}

// loosen removes what bounds texts from a schema.
func loosen(schema any) {
	switch t := schema.(type) {
	case map[string]any:
		for _, key := range []string{"pattern", "maxLength", "x-kubernetes-validations"} {
			if _, isField := t[key].(map[string]any); !isField {
				delete(t, key)
			}
		}
		for _, v := range t {
			loosen(v)
		}
	case []any:
		for _, v := range t {
			loosen(v)
		}
	}
}

// scriptBundle returns one whose bundle is for a kind of its own, with files beside the
// manifest.
func scriptBundle(name, kind string, files map[string]any) map[string]any {
	o := named("interpreter.dragoman.io/v1alpha1", "ScriptBundle", "", name, nil)
	all := map[string]any{"bundle.yaml": fmt.Sprintf(`apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata: {name: %s}
spec:
  kinds: [{group: attack.example, versions: [v1], kind: %s}]
`, name, kind)}
	for path, text := range files {
		all[kind+"/"+path] = text
	}
	o["spec"] = map[string]any{"source": map[string]any{"inline": map[string]any{"files": all}}}
	return o
}

const healthy = "function InterpretHealth(obj)\n  return true\nend\n"

// mistaken creates ScriptBundles with cases as they are while one writes them, with cases that
// cost much, and a sound one.
func mistaken(ctx context.Context, s *site) error {
	object := "{apiVersion: attack.example/v1, kind: %s, metadata: {name: a}, spec: {size: 3}}"
	many := strings.Repeat("result.healthy == false, ", 12_000)
	wide := strings.Repeat("a{0,999}", 127)
	for i, b := range []struct{ script, text, cases string }{
		{"retain.lua", "function Retain(desired, observed)\n  return desired\nend\n", "name: x\ndesiredObj: " + object + "\noperation: retain\nchanges: {}\n"},
		{"health.lua", healthy, "name: x\nobservedObj: " + object + "\noperation: health\nassert: [" + many + "true]\n"},
		{"health.lua", healthy, "name: x\nobservedObj: " + object + "\noperation: health\nerror: {message: \"" + wide + "\"}\n"},
		{"health.lua", healthy, "name: x\nobservedObj:\n"},
	} {
		name, kind := s.unique(fmt.Sprint("a-mistake-", i)), fmt.Sprintf("Mistake%d", i)
		cases := b.cases
		if strings.Contains(cases, "%s") {
			cases = fmt.Sprintf(cases, kind)
		}
		if err := s.put(ctx, s.hub, scriptBundles, scriptBundle(name, kind, map[string]any{b.script: b.text, "testdata/cases.yaml": cases})); err != nil {
			return err
		}
	}
	return s.put(ctx, s.hub, scriptBundles, scriptBundle(s.unique("sound"), "Sound", map[string]any{"health.lua": healthy}))
}

// activated returns an error unless the sound ScriptBundle became active, and the others were
// refused with a reason.
func activated(ctx context.Context, s *site) error {
	return s.await(ctx, "the sound ScriptBundle to be active, and the others to be refused", func(ctx context.Context) (bool, error) {
		list, err := s.hub.Resource(scriptBundles).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for _, o := range list.Items {
			sound := strings.HasPrefix(o.GetName(), "sound")
			if isActive(&o) != sound {
				return false, nil
			}
			if stages := []string{condition(&o, "Compiled"), condition(&o, "Checked"), condition(&o, "SmokeTested")}; !sound && !slices.Contains(stages, "False") {
				return false, nil
			}
		}
		return true, nil
	})
}

// sizes are the sizes of the objects of a tenant that a watch of the member showed.
type sizes struct {
	mu   sync.Mutex
	seen []string
}

// arrived has the tenant run n objects, and waits until all are in the member.
func (s *site) arrived(ctx context.Context, n int) error {
	for i := range n {
		o := named("attack.example/v1", "Victim", hostile, s.unique(fmt.Sprint("sized", i)), map[string]any{"spec": map[string]any{"size": size}})
		if err := create(ctx, s.hub, victims, o); err != nil {
			return err
		}
	}
	return s.await(ctx, "the tenant's objects", func(ctx context.Context) (bool, error) {
		uids, err := s.uids(ctx)
		return len(uids) == n, err
	})
}

// size is that of the objects of arrived.
const size = int64(3)

// uids returns those of the tenant's objects of this phase in the member that are not being
// deleted.
func (s *site) uids(ctx context.Context) ([]string, error) {
	list, err := s.member.Resource(victims).Namespace(hostile).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var uids []string
	for _, o := range list.Items {
		if strings.HasPrefix(o.GetName(), "sized") && strings.HasSuffix(o.GetName(), s.unique("")) && o.GetDeletionTimestamp() == nil {
			uids = append(uids, string(o.GetUID()))
		}
	}
	slices.Sort(uids)
	return uids, nil
}

// forget removes the tenant's templates, their bindings and Works from the store, with no
// manager that would end their copies.
func (s *site) forget(ctx context.Context) error {
	execution := "karmada-es-" + s.name
	for _, of := range []struct {
		kind      schema.GroupVersionResource
		namespace string
		is        func(o *unstructured.Unstructured) bool
	}{
		{victims, hostile, func(*unstructured.Unstructured) bool { return true }},
		{bindings, hostile, func(*unstructured.Unstructured) bool { return true }},
		{works, execution, func(o *unstructured.Unstructured) bool {
			return o.GetAnnotations()["resourcebinding.karmada.io/namespace"] == hostile
		}},
	} {
		in := s.hub.Resource(of.kind).Namespace(of.namespace)
		list, err := in.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for i := range list.Items {
			o := &list.Items[i]
			if !of.is(o) {
				continue
			}
			_, err := in.Patch(ctx, o.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
			if err = errors.Join(client404(err), client404(in.Delete(ctx, o.GetName(), metav1.DeleteOptions{}))); err != nil {
				return err
			}
		}
	}
	left, err := s.hub.Resource(works).Namespace(execution).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, o := range left.Items {
		if strings.Contains(fmt.Sprint(o.Object["spec"]), "sized") {
			return fmt.Errorf("the store still has Work %s", o.GetName())
		}
	}
	return nil
}

// removed deletes the CRD of Works once, with all of them, and applies it again.
func removed(ctx context.Context, s *site, _ *manager) error {
	const name = "works.work.karmada.io"
	crd, err := s.hub.Resource(crds).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	again := crd.DeepCopy()
	unstructured.RemoveNestedField(again.Object, "metadata", "resourceVersion")
	unstructured.RemoveNestedField(again.Object, "metadata", "uid")
	unstructured.RemoveNestedField(again.Object, "status")
	crd.SetLabels(nil)
	if _, err := s.hub.Resource(crds).Update(ctx, crd, metav1.UpdateOptions{}); err != nil {
		return err
	}
	// Admission may know the label a moment longer.
	if err := s.await(ctx, "the deletion of the CRD", func(ctx context.Context) (bool, error) {
		err := s.hub.Resource(crds).Delete(ctx, name, metav1.DeleteOptions{})
		return err == nil, ignoreForbidden(err)
	}); err != nil {
		return err
	}
	if err := s.await(ctx, "the end of the CRD", func(ctx context.Context) (bool, error) {
		_, err := s.hub.Resource(crds).Get(ctx, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err), client404(err)
	}); err != nil {
		return err
	}
	return create(ctx, s.hub, crds, again.Object)
}

func ignoreForbidden(err error) error {
	if apierrors.IsForbidden(err) || apierrors.IsInvalid(err) {
		return nil
	}
	return err
}

// paused stops the manager for half a second each second, while policies come and right after
// them their templates.
func paused(ctx context.Context, s *site, m *manager) error {
	n := 0
	return every(ctx, time.Second, func(ctx context.Context) error {
		if err := m.pause(); err != nil {
			return err
		}
		defer m.resume()
		n++
		name := s.unique(fmt.Sprint("right-after", n))
		p := policy(hostile, "attack.example/v1", "Victim")
		p["metadata"].(map[string]any)["name"] = name
		p["spec"].(map[string]any)["priority"] = int64(1)
		if err := s.put(ctx, s.hub, policies, p); err != nil {
			return err
		}
		if err := create(ctx, s.hub, victims, named("attack.example/v1", "Victim", hostile, name, nil)); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond):
		}
		return nil
	})
}

// sized has the tenant run n objects, and returns what the member shows of their sizes from
// then on, until the end of the phase.
func (s *site) sized(ctx context.Context, n int) (*sizes, error) {
	if err := s.arrived(ctx, n); err != nil {
		return nil, err
	}
	w, err := s.member.Resource(victims).Namespace(hostile).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	s.undo(func(context.Context) error {
		w.Stop()
		return nil
	})
	all := &sizes{}
	go func() {
		for e := range w.ResultChan() {
			o, ok := e.Object.(*unstructured.Unstructured)
			if !ok {
				continue
			}
			if now, _, _ := unstructured.NestedInt64(o.Object, "spec", "size"); now != size {
				all.mu.Lock()
				all.seen = append(all.seen, fmt.Sprintf("%s %s: %d", e.Type, o.GetName(), now))
				all.mu.Unlock()
			}
		}
	}()
	return all, nil
}

// changed returns an error if an object had another size for a moment.
func (a *sizes) changed() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.seen) > 0 {
		return fmt.Errorf("the member had %d objects of another size, first %s", len(a.seen), a.seen[0])
	}
	return nil
}

// counted has a bundle count the replicas of the tenant's kind, and removes it again.
func counted(ctx context.Context, s *site, _ *manager) error {
	name := s.unique("counts")
	o := scriptBundle(name, "Victim", map[string]any{
		"replicas.lua": "function GetReplicas(obj)\n  return obj.spec.size, nil\nend\n",
		"revise.lua":   "function ReviseReplica(obj, n)\n  obj.spec.size = n\n  return obj\nend\n",
	})
	for ctx.Err() == nil {
		if err := create(ctx, s.hub, scriptBundles, o); err != nil {
			return err
		}
		err := s.await(ctx, "the bundle that counts", func(ctx context.Context) (bool, error) {
			o, err := s.hub.Resource(scriptBundles).Get(ctx, name, metav1.GetOptions{})
			return err == nil && isActive(o), err
		})
		if err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
		if err := s.hub.Resource(scriptBundles).Delete(context.WithoutCancel(ctx), name, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// isActive reports whether a revision of a ScriptBundle is active.
func isActive(o *unstructured.Unstructured) bool {
	_, is, _ := unstructured.NestedMap(o.Object, "status", "active")
	return is
}
