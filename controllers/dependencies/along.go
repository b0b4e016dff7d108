// SPDX-License-Identifier: Apache-2.0

package dependencies

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
)

// reasonTooMany is the reason of the event about a policy of too many objects.
const reasonTooMany = "TooManyGoAlong"

// along adds to references what goes along with a binding that application failover has moved.
func (c *Controller[B]) along(ctx context.Context, b B, references []binding.Reference) ([]binding.Reference, error) {
	policy := claim.Policy(b)
	if !binding.TakesAlong(b) || policy == nil {
		return references, nil
	}
	found, err := index.BindingsOfPolicyIn[B](ctx, c.Client, client.ObjectKeyFromObject(policy), b.GetNamespace())
	if err != nil {
		return nil, fmt.Errorf("list what goes along with binding %s: %w", b.GetName(), err)
	}
	all := make([]workv1alpha2.Binding, len(found))
	for i := range found {
		all[i] = found[i]
	}
	runs := func(b workv1alpha2.Binding) bool { return b.GetSpec().IsWorkload() || c.MovesByItself(b) }
	with, fits := binding.Along(b, all, runs, references)
	if !fits {
		c.Warn(b, reasonTooMany, "GetDependencies", fmt.Errorf(
			"its policy selects more than %d objects of the namespace that run nothing, so that none goes along since the failover; give each application a policy of its own", binding.MostAlong))
	}
	return with, nil
}

// onSibling enqueues the bindings that application failover has moved once another binding gets
// their policy or loses it: its object goes along with them, or does not any more.
func (c *Controller[B]) onSibling(cache client.Reader) handler.EventHandler {
	type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]
	enqueue := func(ctx context.Context, q queue, o client.Object, policies ...types.NamespacedName) {
		for _, policy := range policies {
			moved, err := index.MovedOfPolicy[B](ctx, cache, policy, o.GetNamespace())
			if err != nil {
				ctrl.LoggerFrom(ctx).Error(err, "could not list what a binding goes along with", "binding", client.ObjectKeyFromObject(o))
			}
			for _, b := range moved {
				q.Add(reconcile.Request{NamespacedName: client.ObjectKeyFromObject(b)})
			}
		}
	}
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) {
			if !e.IsInInitialList { // those that are moved are in it too
				enqueue(ctx, q, e.Object, policyOf(e.Object)...)
			}
		},
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) {
			before, after := policyOf(e.ObjectOld), policyOf(e.ObjectNew)
			if len(before) != len(after) || len(after) > 0 && before[0] != after[0] {
				enqueue(ctx, q, e.ObjectNew, append(before, after...)...)
			}
		},
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) {
			enqueue(ctx, q, e.Object, policyOf(e.Object)...)
		},
	}
}

// policyOf returns the key of the policy that a binding is of, if there is one.
func policyOf(o client.Object) []types.NamespacedName {
	if p := claim.Policy(o); p != nil {
		return []types.NamespacedName{client.ObjectKeyFromObject(p)}
	}
	return nil
}
