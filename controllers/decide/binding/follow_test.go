// SPDX-License-Identifier: Apache-2.0

package binding_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// account is a reference to a ServiceAccount, the kind that is followed in these tests.
func account(namespace, name string) binding.Reference {
	return binding.Reference{APIVersion: "v1", Kind: "ServiceAccount", Namespace: namespace, Name: name}
}

func isAccount(kind schema.GroupVersionKind) bool { return kind.Kind == "ServiceAccount" }

func TestFollow(t *testing.T) {
	a, b, c := account("space", "a"), account("space", "b"), account("space", "c")
	x, y := named("space", "x"), named("space", "y")
	self := binding.Reference{APIVersion: "spec.dragoman.io/v1", Kind: "Gadget", Namespace: "space", Name: "parent"}
	some := labelled("space", metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}})
	type refs = []binding.Reference
	cases := map[string]struct {
		reason  string
		of      string
		given   refs
		answers map[string]refs
		want    refs
		asked   string
	}{
		"Nothing":       {reason: "no object is of a kind that is followed", given: refs{x}, want: refs{x}},
		"One":           {reason: "what an account names goes along", given: refs{x, a}, answers: map[string]refs{"a": {y}}, want: refs{x, a, y}, asked: "a"},
		"Known":         {reason: "what goes along already is not there twice", given: refs{x, a}, answers: map[string]refs{"a": {x, some, some}}, want: refs{x, a, some}, asked: "a"},
		"Further":       {reason: "what comes by one is followed, too", given: refs{a}, answers: map[string]refs{"a": {b}, "b": {x}}, want: refs{a, b, x}, asked: "a b"},
		"Circle":        {reason: "each is asked once, and the template is not", given: refs{a}, answers: map[string]refs{"a": {b, self}, "b": {a, c}, "c": {b}}, want: refs{a, b, c}, asked: "a b c"},
		"Foreign":       {reason: "an object of another namespace is not asked", given: refs{account("other", "a")}, want: refs{account("other", "a")}},
		"Elsewhere":     {reason: "and nothing of another namespace comes by one of this", given: refs{a}, answers: map[string]refs{"a": {named("other", "x"), named("", "wide")}}, want: refs{a, named("", "wide")}, asked: "a"},
		"OfNoNamespace": {reason: "a template without a namespace asks none", of: "none", given: refs{a, account("", "b")}, want: refs{a, account("", "b")}},
		"ByLabels":      {reason: "what labels select is not asked", given: refs{{APIVersion: "v1", Kind: "ServiceAccount", Namespace: "space", LabelSelector: &metav1.LabelSelector{}}}, want: refs{{APIVersion: "v1", Kind: "ServiceAccount", Namespace: "space", LabelSelector: &metav1.LabelSelector{}}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			namespace := "space"
			if tc.of != "" {
				namespace = ""
			}
			var asked []string
			got, err := binding.Follow(fixture.Binding(fixture.Gadget(namespace, "parent", nil)), tc.given, isAccount, func(r binding.Reference) ([]binding.Reference, error) {
				asked = append(asked, r.Name)
				return tc.answers[r.Name], nil
			})
			if err != nil {
				t.Fatalf("%s: got error %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || strings.Join(asked, " ") != tc.asked {
				t.Errorf("%s: asked %q, want %q (-want +got):\n%s", tc.reason, asked, tc.asked, diff)
			}
		})
	}
}

func TestFollowGoesOnAfterAnError(t *testing.T) {
	a, b, x := account("space", "a"), account("space", "b"), named("space", "x")
	got, err := binding.Follow(depending("space"), []binding.Reference{a, b}, isAccount, func(r binding.Reference) ([]binding.Reference, error) {
		if r.Name == "a" {
			return nil, errors.New("it is broken")
		}
		return []binding.Reference{x}, nil
	})
	if want := "by ServiceAccount a: it is broken"; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %q", err, want)
	}
	if diff := cmp.Diff([]binding.Reference{a, b, x}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFollowIsBounded(t *testing.T) {
	cases := map[string]struct {
		reason string
		given  int
		answer func(i int) []binding.Reference
		want   int
	}{
		"Chain": {"a chain without an end", 1, func(i int) []binding.Reference { return []binding.Reference{account("space", fmt.Sprint("next-", i))} }, 1 + binding.MostFollowed},
		"Many":  {"more objects that are asked", binding.MostFollowed + 1, func(int) []binding.Reference { return nil }, binding.MostFollowed + 1},
		"Answer": {"one answer", 1, func(int) []binding.Reference {
			var all []binding.Reference
			for i := range binding.MostFollowed + 1 {
				all = append(all, named("space", fmt.Sprint(i)))
			}
			return all
		}, 1 + binding.MostFollowed},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var given []binding.Reference
			for i := range tc.given {
				given = append(given, account("space", fmt.Sprint("given-", i)))
			}
			asked := 0
			got, err := binding.Follow(depending("space"), given, isAccount, func(binding.Reference) ([]binding.Reference, error) {
				asked++
				return tc.answer(asked), nil
			})
			if err == nil || !strings.Contains(err.Error(), "more than 100 further objects") || asked > binding.MostFollowed || len(got) != tc.want {
				t.Errorf("%s: asked %d, got %d references and error %v; want %d", tc.reason, asked, len(got), err, tc.want)
			}
		})
	}
	t.Run("Enough", func(t *testing.T) {
		given := make([]binding.Reference, binding.MostFollowed)
		for i := range given {
			given[i] = account("space", fmt.Sprint(i))
		}
		if got, err := binding.Follow(depending("space"), given, isAccount, func(binding.Reference) ([]binding.Reference, error) { return nil, nil }); err != nil || len(got) != len(given) {
			t.Errorf("got %d references and error %v, want no error", len(got), err)
		}
	})
}

func TestUnite(t *testing.T) {
	a, x := account("space", "a"), named("space", "x")
	if diff := cmp.Diff([]binding.Reference{a, x}, binding.Unite([]binding.Reference{a}, []binding.Reference{a, x})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
