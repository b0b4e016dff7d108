// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	index "github.com/dragoman-io/dragoman/controllers/decide/selection"
)

// errUnseen is the error of a template that is not claimed yet, since there is what may decide
// about it and no watch has shown.
var errUnseen = errors.New("no watch has shown it yet")

// unseen finds the policies that are in the store and that no watch has shown as they are there.
// Templates and policies come by separate watches, so that a template may be seen before a policy,
// or an edit of one, that was there first. All that ask about one namespace at a time share a
// request, and so do all templates that are older than an answer. It is safe for many
// goroutines; the zero value is ready.
type unseen struct {
	mu sync.Mutex
	// last are the last answers, by the namespace of the policies.
	last map[string]answer
	// next are the requests that have not begun, by the namespace of the policies; running hold
	// one element while there is one.
	next    map[string]*asking
	running map[string]chan struct{}
}

// asking is one request, and its answer once done is closed.
type asking struct {
	done chan struct{}
	answer
	err error
}

// answer are policies, or customizations, at a resource version of the store. Once a watch has
// shown them all it has none.
type answer struct {
	found map[types.NamespacedName]version
	at    uint64
}

// version is what an object is known by: which one of its name it is, and its generation. going
// means that it is being deleted.
type version struct {
	uid        types.UID
	generation int64
	going      bool
}

// mostAnswers is for how many namespaces answers are kept.
const mostAnswers = 10_000

// mostListed is how many policies of a namespace are listed for a template at most. Where there
// are more, those alone are that this control plane has not looked at, which have no permanent
// id; an edit is not looked for then.
const mostListed = 500

// since returns the last answer about a namespace, if it is not older than a resource version.
func (u *unseen) since(namespace, resourceVersion string) (answer, bool) {
	v, err := strconv.ParseUint(resourceVersion, 10, 64)
	u.mu.Lock()
	defer u.mu.Unlock()
	last, known := u.last[namespace]
	return last, known && err == nil && v <= last.at
}

// shown records that a watch has shown all that an answer has.
func (u *unseen) shown(namespace string, at uint64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if last, known := u.last[namespace]; known && last.at == at {
		last.found = nil
		u.last[namespace] = last
	}
}

// keep keeps an answer, unless a newer one is kept; the lock is held.
func (u *unseen) keep(namespace string, a answer) {
	if u.last == nil || len(u.last) >= mostAnswers {
		u.last = map[string]answer{}
	}
	if u.last[namespace].at < a.at {
		u.last[namespace] = a
	}
}

// in returns what a list finds in a namespace, "" is for what has none, as it is after the call.
func (u *unseen) in(ctx context.Context, namespace string, list lister) (answer, error) {
	u.mu.Lock()
	if u.next == nil {
		u.next, u.running = map[string]*asking{}, map[string]chan struct{}{}
	}
	a := u.next[namespace]
	if a != nil {
		u.mu.Unlock()
		select {
		case <-a.done:
			return a.answer, a.err
		case <-ctx.Done():
			return answer{}, ctx.Err()
		}
	}
	a = &asking{done: make(chan struct{})}
	u.next[namespace] = a
	if u.running[namespace] == nil {
		u.running[namespace] = make(chan struct{}, 1)
	}
	running := u.running[namespace]
	u.mu.Unlock()

	defer u.forget(namespace, running)
	running <- struct{}{}
	defer func() { <-running }()
	defer close(a.done)
	u.mu.Lock()
	delete(u.next, namespace)
	u.mu.Unlock()
	a.err = errUnseen // unless it is answered
	if a.answer, a.err = list(context.WithoutCancel(ctx), namespace); a.err == nil {
		u.mu.Lock()
		u.keep(namespace, a.answer)
		u.mu.Unlock()
	}
	return a.answer, a.err
}

// forget drops what is held for a namespace that nobody asks about.
func (u *unseen) forget(namespace string, running chan struct{}) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.next[namespace] == nil && len(running) == 0 {
		delete(u.running, namespace)
	}
}

// lister lists what is in a namespace.
type lister func(ctx context.Context, namespace string) (answer, error)

// listPolicies lists the policies of a namespace, "" is for the cluster-wide ones; of many those
// alone that have no permanent id.
func (c *Controller) listPolicies(ctx context.Context, namespace string) (answer, error) {
	kind := "PropagationPolicyList"
	if namespace == "" {
		kind = "ClusterPropagationPolicyList"
	}
	options := []client.ListOption{client.InNamespace(namespace)}
	if c.Policies.Size(namespace) > mostListed {
		missing, err := labels.NewRequirement(scope.PolicyIDLabel(scope.EmptyPolicy(namespace, "")), selection.DoesNotExist, nil)
		if err != nil {
			return answer{}, err
		}
		options = append(options, client.MatchingLabelsSelector{Selector: labels.NewSelector().Add(*missing)})
	}
	return listed(ctx, c.Reader, policyv1alpha1.GroupVersion.WithKind(kind), options...)
}

// listed lists what identifies the objects of a kind.
func listed(ctx context.Context, c client.Reader, kind schema.GroupVersionKind, options ...client.ListOption) (answer, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind)
	if err := c.List(ctx, list, options...); err != nil {
		return answer{}, fmt.Errorf("list what no watch has shown of %s: %w", kind.Kind, err)
	}
	at, _ := strconv.ParseUint(list.ResourceVersion, 10, 64) // 0 is older than any template
	found := map[types.NamespacedName]version{}
	for i := range list.Items {
		o := &list.Items[i]
		found[client.ObjectKeyFromObject(o)] = version{o.UID, o.Generation, o.DeletionTimestamp != nil}
	}
	return answer{found, at}, nil
}

// awaitSeen returns errUnseen as long as a policy that may select a template, or a customization
// that may count its replicas, is in the store and not known here.
func (c *Controller) awaitSeen(ctx context.Context, object *unstructured.Unstructured) error {
	namespaces := []string{""}
	if object.GetNamespace() != "" {
		namespaces = append(namespaces, object.GetNamespace())
	}
	for _, namespace := range namespaces {
		if last, ok := c.unseen.since(namespace, object.GetResourceVersion()); ok {
			if _, found := firstUnseen(c.Policies, last.found); !found {
				continue
			}
		}
		now, err := c.unseen.in(ctx, namespace, c.listPolicies)
		if err != nil {
			return err
		}
		if key, found := firstUnseen(c.Policies, now.found); found {
			return fmt.Errorf("%w: %s", errUnseen, scope.PolicyTitle(scope.EmptyPolicy(key.Namespace, key.Name)))
		}
		c.unseen.shown(namespace, now.at)
	}
	return c.awaitRules(ctx, object)
}

// firstUnseen returns a policy that the index does not have, or has in an older generation.
func firstUnseen(seen *index.Index, in map[types.NamespacedName]version) (types.NamespacedName, bool) {
	for key, v := range in {
		if p := seen.Get(key); p == nil || p.GetUID() != v.uid || p.GetGeneration() < v.generation {
			return key, true
		}
	}
	return types.NamespacedName{}, false
}
