// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

var errNo = errors.New("no")

// asked returns trials in which n bindings have asked two clusters each, of which b refused.
func asked(n int) *trials {
	t := &trials{}
	for i := range n {
		key := types.NamespacedName{Namespace: "space", Name: fmt.Sprint("binding", i)}
		t.set(trialKey{key, "a"}, &trial{manifest: "m", answered: true})
		t.set(trialKey{key, "b"}, &trial{manifest: "m", answered: true, err: errNo})
	}
	return t
}

func TestTrialsForgetOneBinding(t *testing.T) {
	all, now := asked(2), time.Unix(0, 0)
	first, second := trialKey{types.NamespacedName{Namespace: "space", Name: "binding0"}, "b"}, trialKey{types.NamespacedName{Namespace: "space", Name: "binding1"}, "b"}
	all.forget(first.binding)
	fails := func() error { t.Error("the second binding asked again"); return nil }
	if got := all.of(second, "m", now, fails); !got.known || !errors.Is(got.err, errNo) {
		t.Errorf("the answer about the second binding is %v, want that it is no", got)
	}
	begun := make(chan struct{})
	if got := all.of(first, "m", now, func() error { close(begun); return nil }); got.known {
		t.Errorf("the first binding still has the answer %v", got)
	}
	<-begun
}

func TestTrialsRemoveThoseOfACluster(t *testing.T) {
	all := asked(3)
	removed := all.remove(func(key trialKey, of *trial) bool { return key.cluster == "b" && of.err != nil })
	if len(removed) != 3 {
		t.Errorf("removed the questions about %v, want one of each of three bindings", removed)
	}
	for binding, clusters := range all.all {
		if len(clusters) != 1 || clusters["a"] == nil {
			t.Errorf("%s has the questions %v, want that to a", binding, clusters)
		}
	}
	if all.remove(func(trialKey, *trial) bool { return true }); len(all.all) != 0 {
		t.Errorf("%d bindings are left without a question", len(all.all))
	}
}

// Each reconcile of a binding that replaces nothing forgets its questions.
func BenchmarkTrialsForget(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		b.Run(fmt.Sprint(n, " bindings wait"), func(b *testing.B) {
			all, other := asked(n), types.NamespacedName{Namespace: "space", Name: "other"}
			for b.Loop() {
				all.forget(other)
			}
		})
	}
}
