// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
)

// measured runs a phase's work, waits for rest, and prints what it cost for each of n
// objects.
func (s *site) measured(ctx context.Context, n int, work func() error) error {
	before, err := s.read(ctx)
	if err != nil {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	if err := s.quiet(ctx); err != nil {
		return err
	}
	after, err := s.read(ctx)
	if err != nil {
		return err
	}
	difference(before, after, n)
	return nil
}

// create creates all policies and Deployments, and waits until all are in all members.
func (s *site) create(ctx context.Context) error {
	names := s.names()
	return s.measured(ctx, len(names), func() error {
		began := time.Now()
		if err := each(names[:len(names)/2], func(name string) error { return s.hub.Create(ctx, newPolicy(name)) }); err != nil {
			return err
		}
		if err := each(names, func(name string) error { return s.hub.Create(ctx, newDeployment(name)) }); err != nil {
			return err
		}
		created := time.Now()
		fmt.Printf("  created after %v\n", created.Sub(began).Round(time.Millisecond))
		if err := s.all(ctx, "0", names); err != nil {
			return err
		}
		fmt.Printf("  all on all members %v after the first creation, %v after the last\n", time.Since(began).Round(time.Millisecond), time.Since(created).Round(time.Millisecond))
		if err := s.applied(ctx); err != nil {
			return err
		}
		fmt.Printf("  all reported as applied %v after the last\n", time.Since(created).Round(time.Millisecond))
		return nil
	})
}

// annotateAll changes an annotation of each template.
func (s *site) annotateAll(ctx context.Context) error {
	names := s.names()
	return s.measured(ctx, len(names), func() error {
		began := time.Now()
		if err := each(names, func(name string) error { _, err := s.annotate(ctx, name, "1"); return err }); err != nil {
			return err
		}
		if err := s.all(ctx, "1", names); err != nil {
			return err
		}
		fmt.Printf("  all on all members after %v\n", time.Since(began).Round(time.Millisecond))
		return nil
	})
}

// restart starts the manager again while nothing changes.
func (s *site) restart(ctx context.Context) error {
	s.manager.stop()
	began := time.Now()
	if err := s.manager.start(ctx); err != nil {
		return err
	}
	return s.measured(ctx, s.o.templates, func() error {
		if err := s.quiet(ctx); err != nil {
			return err
		}
		fmt.Printf("  at rest %v after the start\n", time.Since(began).Round(time.Millisecond))
		return nil
	})
}

// restartUnderChanges starts the manager again and changes one Deployment after another: at
// most ten while it fills its caches, and fifty while it reconciles everything.
func (s *site) restartUnderChanges(ctx context.Context) error {
	const few, many = 10, 50
	s.manager.stop()
	s.restarts++
	round := fmt.Sprintf("restart-%d", s.restarts)
	passed, err := s.watchStages(ctx, round)
	if err != nil {
		return err
	}
	defer passed.stop()
	if err := s.manager.start(ctx); err != nil {
		return err
	}
	began := time.Now()
	return s.measured(ctx, few+many, func() error {
		all := s.names()
		next := 0
		edit := func(at map[string]time.Time) error {
			name := all[next*len(all)/(few+many)]
			next++
			at[name] = time.Now()
			version, err := s.annotate(ctx, name, round)
			passed.edited(name, version)
			return err
		}
		early, later := map[string]time.Time{}, map[string]time.Time{}
		err := s.untilDraining(ctx, func() error {
			if next == few {
				return nil
			}
			return edit(early)
		})
		if err != nil {
			return err
		}
		fmt.Printf("  reconciles templates %v after its start\n", time.Since(began).Round(time.Millisecond))
		for range many {
			if err := edit(later); err != nil {
				return err
			}
			time.Sleep(100 * time.Millisecond)
		}
		if err := s.all(ctx, round, slices.AppendSeq(slices.Collect(maps.Keys(early)), maps.Keys(later))); err != nil {
			return err
		}
		passed.print("edited while its caches filled", s.arrivals, s.members(), early)
		passed.print("edited while it reconciled everything", s.arrivals, s.members(), later)
		return nil
	})
}

// untilDraining calls meanwhile twice a second until the manager reconciles templates.
func (s *site) untilDraining(ctx context.Context, meanwhile func() error) error {
	for began := time.Now(); time.Since(began) < patience; time.Sleep(500 * time.Millisecond) {
		r, err := s.read(ctx)
		if err != nil {
			return err
		}
		if r.reconciles["template success"] > 0 {
			return nil
		}
		if err := meanwhile(); err != nil {
			return err
		}
	}
	return errors.New("the manager reconciles no template")
}

// onePolicy edits one policy, which selects two templates.
func (s *site) onePolicy(ctx context.Context) error {
	return s.measured(ctx, 2, func() error {
		key := client.ObjectKey{Namespace: namespace, Name: s.names()[0]}
		p := &policyv1alpha1.PropagationPolicy{}
		if err := s.hub.Get(ctx, key, p); err != nil {
			return err
		}
		p.Spec.ConflictResolution = policyv1alpha1.ConflictOverwrite
		return s.hub.Update(ctx, p)
	})
}

// oneOverride creates an override policy for one template.
func (s *site) oneOverride(ctx context.Context) error {
	name := s.names()[0]
	return s.measured(ctx, 1, func() error {
		began := time.Now()
		o := &policyv1alpha1.OverridePolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: policyv1alpha1.OverrideSpec{
			ResourceSelectors: []policyv1alpha1.ResourceSelector{{APIVersion: "apps/v1", Kind: "Deployment", Name: name}},
			OverrideRules: []policyv1alpha1.RuleWithCluster{{Overriders: policyv1alpha1.Overriders{AnnotationsOverrider: []policyv1alpha1.LabelAnnotationOverrider{
				{Operator: policyv1alpha1.OverriderOpAdd, Value: map[string]string{roundAnnotation: "overridden"}},
			}}}},
		}}
		if err := s.hub.Create(ctx, o); err != nil {
			return err
		}
		if err := s.all(ctx, "overridden", []string{name}); err != nil {
			return err
		}
		fmt.Printf("  on all members after %v\n", time.Since(began).Round(time.Millisecond))
		return nil
	})
}

// hangingMember pauses the API server of the last member, and edits templates that go to
// all.
func (s *site) hangingMember(ctx context.Context) error {
	hanging := s.fleet.Members[len(s.fleet.Members)-1]
	names := s.names()
	for _, hangs := range []bool{false, true} {
		round, edited := fmt.Sprintf("hanging-%t", hangs), map[string]time.Time{}
		if hangs {
			if err := s.fleet.Pause(hanging); err != nil {
				return err
			}
		}
		for i := range 100 {
			name := names[(i*len(names)/100+1)%len(names)]
			edited[name] = time.Now()
			if _, err := s.annotate(ctx, name, round); err != nil {
				return err
			}
			time.Sleep(50 * time.Millisecond)
		}
		time.Sleep(5 * time.Second)
		fmt.Printf("  %s hangs: %t; edited template to %s: %s\n", hanging.Name, hangs, s.members()[0], quantiles(s.arrivals.after(round, s.members()[0], edited)))
	}
	if err := s.fleet.Resume(hanging); err != nil {
		return err
	}
	resumed := time.Now()
	var some []string
	for i := range 100 {
		some = append(some, names[(i*len(names)/100+1)%len(names)])
	}
	if err := s.all(ctx, "hanging-true", some); err != nil {
		return err
	}
	fmt.Printf("  all on all members %v after it answered again\n", time.Since(resumed).Round(time.Millisecond))
	return s.quiet(ctx)
}

// watchIdle does nothing for a while.
func (s *site) watchIdle(ctx context.Context) error {
	if err := s.quiet(ctx); err != nil {
		return err
	}
	before, err := s.read(ctx)
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(s.o.idle):
	}
	after, err := s.read(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("  in %v; each is a minute:\n", s.o.idle)
	difference(before, after, int(s.o.idle.Minutes()))
	return nil
}

// deleteAll deletes all templates.
func (s *site) deleteAll(ctx context.Context) error {
	names := s.names()
	return s.measured(ctx, len(names), func() error {
		began := time.Now()
		err := each(names, func(name string) error {
			return s.hub.Delete(ctx, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}})
		})
		if err != nil {
			return err
		}
		// Bare API servers have no garbage collector: the bindings are deleted in its place.
		err = each(names, func(name string) error { return client.IgnoreNotFound(s.hub.Delete(ctx, bindingOf(name))) })
		if err != nil {
			return err
		}
		if err := await(ctx, "copies still there", s.arrivals.left); err != nil {
			return err
		}
		fmt.Printf("  gone from all members after %v\n", time.Since(began).Round(time.Millisecond))
		return nil
	})
}

// annotate sets the round of a template, and returns its resource version then.
func (s *site) annotate(ctx context.Context, name, round string) (string, error) {
	patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, roundAnnotation, round))
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	err := s.hub.Patch(ctx, d, patch)
	return d.ResourceVersion, err
}
