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
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/policies"
	index "github.com/dragoman-io/dragoman/controllers/internal/selection"
)

// errUnseen is the error of a template that is not claimed yet, since there are policies that
// may select it and that no watch has shown.
var errUnseen = errors.New("there are policies that no watch has shown yet")

// unseen finds the policies that are in the store and that no watch has shown. Templates and
// policies come by separate watches, so that a template may be seen before a policy that was
// there first. A policy that this control plane has not looked at has no permanent id, so that
// the API server is asked for these alone. All that ask about one namespace at a time share a
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

// answer are the policies without an id, by their UIDs, at a resource version of the store.
type answer struct {
	keys map[types.NamespacedName]types.UID
	at   uint64
}

// mostAnswers is for how many namespaces answers are kept.
const mostAnswers = 10_000

// since returns the last answer about a namespace, if it is not older than a resource version.
func (u *unseen) since(namespace, version string) (map[types.NamespacedName]types.UID, bool) {
	v, err := strconv.ParseUint(version, 10, 64)
	u.mu.Lock()
	defer u.mu.Unlock()
	last, known := u.last[namespace]
	return last.keys, known && err == nil && v <= last.at
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

// in returns the policies of a namespace that have no id, "" is for the cluster-wide ones, as
// they are after the call.
func (u *unseen) in(ctx context.Context, c client.Reader, namespace string) (map[types.NamespacedName]types.UID, error) {
	u.mu.Lock()
	if u.next == nil {
		u.next, u.running = map[string]*asking{}, map[string]chan struct{}{}
	}
	a := u.next[namespace]
	if a != nil {
		u.mu.Unlock()
		select {
		case <-a.done:
			return a.keys, a.err
		case <-ctx.Done():
			return nil, ctx.Err()
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
	if a.answer, a.err = withoutID(context.WithoutCancel(ctx), c, namespace); a.err == nil {
		u.mu.Lock()
		u.keep(namespace, a.answer)
		u.mu.Unlock()
	}
	return a.keys, a.err
}

// forget drops what is held for a namespace that nobody asks about.
func (u *unseen) forget(namespace string, running chan struct{}) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.next[namespace] == nil && len(running) == 0 {
		delete(u.running, namespace)
	}
}

// withoutID lists the policies of a namespace that have no permanent id.
func withoutID(ctx context.Context, c client.Reader, namespace string) (answer, error) {
	kind := "PropagationPolicyList"
	if namespace == "" {
		kind = "ClusterPropagationPolicyList"
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(policyv1alpha1.GroupVersion.WithKind(kind))
	missing, err := labels.NewRequirement(policies.PermanentIDLabel(policies.Empty(namespace, "")), selection.DoesNotExist, nil)
	if err != nil {
		return answer{}, err
	}
	if err := c.List(ctx, list, client.InNamespace(namespace), client.MatchingLabelsSelector{Selector: labels.NewSelector().Add(*missing)}); err != nil {
		return answer{}, fmt.Errorf("list the policies that are new: %w", err)
	}
	at, _ := strconv.ParseUint(list.ResourceVersion, 10, 64) // 0 is older than any template
	keys := map[types.NamespacedName]types.UID{}
	for i := range list.Items {
		keys[client.ObjectKeyFromObject(&list.Items[i])] = list.Items[i].UID
	}
	return answer{keys, at}, nil
}

// awaitSeen returns errUnseen as long as a policy that may select a template is in the store
// and not in the index.
func (c *Controller) awaitSeen(ctx context.Context, object *unstructured.Unstructured) error {
	namespaces := []string{""}
	if object.GetNamespace() != "" {
		namespaces = append(namespaces, object.GetNamespace())
	}
	for _, namespace := range namespaces {
		if keys, ok := c.unseen.since(namespace, object.GetResourceVersion()); ok {
			if _, found := firstUnseen(c.Policies, keys); !found {
				continue
			}
		}
		keys, err := c.unseen.in(ctx, c.Reader, namespace)
		if err != nil {
			return err
		}
		if key, found := firstUnseen(c.Policies, keys); found {
			return fmt.Errorf("%w: %s", errUnseen, policies.Title(policies.Empty(key.Namespace, key.Name)))
		}
	}
	return nil
}

// firstUnseen returns a policy that the index does not have.
func firstUnseen(seen *index.Index, keys map[types.NamespacedName]types.UID) (types.NamespacedName, bool) {
	for key, uid := range keys {
		if p := seen.Get(key); p == nil || p.GetUID() != uid {
			return key, true
		}
	}
	return types.NamespacedName{}, false
}
