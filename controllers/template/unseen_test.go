// SPDX-License-Identifier: Apache-2.0

package template

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/selection"
)

// heldReader answers each list once it may, with as many policies as lists began before it.
type heldReader struct {
	client.Reader
	release chan error

	mu    sync.Mutex
	lists int
}

func (r *heldReader) List(_ context.Context, list client.ObjectList, o ...client.ListOption) error {
	var options client.ListOptions
	options.ApplyOptions(o)
	r.mu.Lock()
	r.lists++
	items := make([]metav1.PartialObjectMetadata, r.lists)
	r.mu.Unlock()
	for i := range items {
		items[i].Namespace, items[i].Name = options.Namespace, string(rune('a'+i))
	}
	list.(*metav1.PartialObjectMetadataList).Items = items
	return <-r.release
}

// TestUnseenShareRequests has many ask while a request is on its way: they share the next one,
// which begins after all of them asked.
func TestUnseenShareRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			u       unseen
			wg      sync.WaitGroup
			answers [6]int
			failed  [6]error
		)
		r := &heldReader{release: make(chan error)}
		ask := func(i int, namespace string) {
			wg.Go(func() {
				a, err := u.in(t.Context(), namespace, func(ctx context.Context, namespace string) (answer, error) {
					return listed(ctx, r, policyv1alpha1.GroupVersion.WithKind("PropagationPolicyList"), client.InNamespace(namespace))
				})
				answers[i], failed[i] = len(a.found), err
			})
			synctest.Wait()
		}
		ask(0, "space")
		for i := 1; i < 5; i++ {
			ask(i, "space")
		}
		ask(5, "") // another namespace does not wait
		if r.lists != 2 {
			t.Fatalf("%d requests began, want one for each namespace", r.lists)
		}
		refused := errors.New("refused")
		r.release <- nil
		r.release <- nil
		synctest.Wait()
		r.release <- refused
		wg.Wait()
		if r.lists != 3 {
			t.Errorf("%d requests were made, want 3", r.lists)
		}
		if failed[0] != nil || answers[0] != 1 {
			t.Errorf("the first has %d policies and error %v, want 1", answers[0], failed[0])
		}
		for i := 1; i < 5; i++ {
			if !errors.Is(failed[i], refused) {
				t.Errorf("%d has error %v, want that of the request that it shares", i, failed[i])
			}
		}
		if len(u.next)+len(u.running) != 0 {
			t.Errorf("%d requests and %d namespaces are left", len(u.next), len(u.running))
		}
	})
}

// TestUnseenSince asks for answers that are as new as a template.
func TestUnseenSince(t *testing.T) {
	var u unseen
	u.keep("space", answer{at: 7})
	u.keep("space", answer{at: 5})
	for _, tc := range []struct {
		reason, namespace, version string
		want                       bool
	}{
		{"the template is older than the answer", "space", "6", true},
		{"it is of the same version", "space", "7", true},
		{"it is newer", "space", "8", false},
		{"nothing is known of its namespace", "other", "6", false},
		{"its version is no number", "space", "a", false},
		{"it has none", "space", "", false},
	} {
		if _, got := u.since(tc.namespace, tc.version); got != tc.want {
			t.Errorf("%s: an answer is kept: %t, want %t", tc.reason, got, tc.want)
		}
	}
	for i := range mostAnswers {
		u.keep(strconv.Itoa(i), answer{at: 1})
	}
	if len(u.last) > mostAnswers {
		t.Errorf("%d answers are kept", len(u.last))
	}
}

// TestUnseenFirst compares answers with an index.
func TestUnseenFirst(t *testing.T) {
	key := types.NamespacedName{Namespace: "space", Name: "p"}
	p := &policyv1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "space", Name: "p", UID: "a", Generation: 2}}
	var seen selection.Index
	seen.Set(p, "")
	for _, tc := range []struct {
		reason string
		in     map[types.NamespacedName]version
		want   bool
	}{
		{"there is none", nil, false},
		{"the index has it", map[types.NamespacedName]version{key: {uid: "a", generation: 2}}, false},
		{"the index has a later edit", map[types.NamespacedName]version{key: {uid: "a", generation: 1}}, false},
		{"the index has an earlier edit", map[types.NamespacedName]version{key: {uid: "a", generation: 3}}, true},
		{"the index has another one of its name", map[types.NamespacedName]version{key: {uid: "b", generation: 1}}, true},
		{"the index does not have it", map[types.NamespacedName]version{{Name: "p"}: {uid: "a", generation: 2}}, true},
	} {
		if _, got := firstUnseen(&seen, tc.in); got != tc.want {
			t.Errorf("%s: a policy was not seen: %t, want %t", tc.reason, got, tc.want)
		}
	}
}

// TestUnseenShown drops the policies of an answer that the index has had, and not of a later one.
func TestUnseenShown(t *testing.T) {
	var u unseen
	some := map[types.NamespacedName]version{{Name: "p"}: {uid: "a", generation: 1}}
	u.keep("space", answer{some, 7})
	u.shown("space", 5)
	u.shown("other", 7)
	if last, _ := u.since("space", "7"); len(last.found) != 1 {
		t.Errorf("policies %v, want those of the later answer", last.found)
	}
	u.shown("space", 7)
	if last, ok := u.since("space", "7"); !ok || len(last.found) != 0 {
		t.Errorf("an answer %t with policies %v, want one without", ok, last.found)
	}
	if len(u.last) != 1 {
		t.Errorf("%d answers are kept, want 1", len(u.last))
	}
}
