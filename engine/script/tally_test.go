// SPDX-License-Identifier: Apache-2.0

package script

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// payments is a meter that adds up, and ends at a limit.
type payments struct {
	gas, memory, limit int64
	calls              int
}

var errSpent = errors.New("spent")

func (p *payments) Pay(gas, memory int64) error {
	p.gas += gas
	p.memory += memory
	p.calls++
	if p.limit > 0 && p.gas > p.limit {
		return errSpent
	}
	return nil
}

func TestLittleWorkIsFree(t *testing.T) {
	var p payments
	tally := Tally{Meter: &p}
	if err := errors.Join(tally.Add(bulkSteps-1, bulkBytes-1), tally.Text(textStep-1), tally.Close()); err != nil {
		t.Fatal(err)
	}
	if p.calls > 0 {
		t.Errorf("less than a bulk is paid: %+v", p)
	}
}

// What is paid altogether does not depend on the order of the work.
func TestWorkIsPaidInAnyOrder(t *testing.T) {
	work := make([]int64, 2_000)
	for i := range work {
		work[i] = int64(i % 17)
	}
	want := payments{}
	for run := range 50 {
		random := rand.New(rand.NewPCG(1, uint64(run)))
		random.Shuffle(len(work), func(i, k int) { work[i], work[k] = work[k], work[i] })
		var p payments
		tally := Tally{Meter: &p}
		for _, n := range work {
			if err := tally.Add(n, 100*n); err != nil {
				t.Fatal(err)
			}
		}
		if err := tally.Close(); err != nil {
			t.Fatal(err)
		}
		if p.calls = 0; run == 0 {
			want = p
		}
		if p != want {
			t.Fatalf("paid %+v, and %+v in another order", want, p)
		}
	}
}

func TestWorkEndsWithTheMeter(t *testing.T) {
	tally := Tally{Meter: &payments{limit: 1_000}}
	for range 100 {
		if err := tally.Add(bulkSteps, 0); err != nil {
			return
		}
	}
	t.Error("work goes on after the limit")
}
