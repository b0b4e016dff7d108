// SPDX-License-Identifier: Apache-2.0

package failovers

import (
	"fmt"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

func TestRecorderIsSafeForManyGoroutines(t *testing.T) {
	r, err := New(nil)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			for round := range 100 {
				b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: "space", Name: fmt.Sprint((g + round) % 3)}}
				r.Gone(b, []string{"one", "two"}[:1+round%2], time.Unix(int64(round), 0))
				r.Started(b, []string{"three"}, time.Unix(int64(round), 0))
				for name := range r.Observed(b).Gone {
					_ = name
				}
				if round%5 == 0 {
					r.Forget(b)
				}
			}
		})
	}
	wait.Wait()
}
