// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
)

func TestFetchesAreSafeForManyGoroutines(t *testing.T) {
	f, next := asked(t)
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			for round := range 100 {
				bundle, q := fmt.Sprint((g+round)%3), question{generation: int64(round)}
				f.begin(bundle, q, fmt.Sprint(round%2), func(context.Context) answer { return answer{digest: bundle, err: errors.New("none")} })
				if a, _ := f.take(bundle, q); a != nil && a.digest != bundle {
					t.Errorf("got the answer of %s, want that of %s", a.digest, bundle)
				}
				if round%5 == 0 {
					f.drop(bundle)
				}
			}
		})
	}
	wait.Wait()
	f.begin("last", question{}, "last", func(context.Context) answer { return answer{} })
	for next() != "last" {
	}
}
