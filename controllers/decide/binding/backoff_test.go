// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"strings"
	"testing"
	"time"

	"github.com/dragoman-io/dragoman/test/fixture"
)

func TestBackoff(t *testing.T) {
	b := fixture.Binding(fixture.Gadget("space", "one", nil))
	cases := map[string]struct {
		reason string
		of     Backoff
		// until are the times from each failure to the end of its exclusion, of which one comes
		// after the other.
		until []time.Duration
	}{
		"Default": {"as documented", Backoff{}, []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 30 * time.Minute, 30 * time.Minute}},
		"Shorter": {"as the flags have it", Backoff{10 * time.Second, 35 * time.Second, time.Hour}, []time.Duration{10 * time.Second, 20 * time.Second, 35 * time.Second, 35 * time.Second}},
		"Fixed":   {"always the same", Backoff{time.Minute, time.Minute, time.Hour}, []time.Duration{time.Minute, time.Minute}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b.SetAnnotations(nil)
			for i, want := range tc.until {
				failures := tc.of.FailuresNow(b, now)
				tc.of.Fail(failures, b, "a", now)
				if err := SetFailures(b, failures); err != nil {
					t.Fatal(err)
				}
				if got := Failures(b)["a"].until().Sub(now); got != want {
					t.Errorf("%s: after %d failures the cluster is excluded for %s, want %s", tc.reason, i+1, got, want)
				}
			}
		})
	}
}

func TestBackoffForgets(t *testing.T) {
	b, o := fixture.Binding(fixture.Gadget("space", "one", nil)), Backoff{time.Second, time.Minute, time.Hour}
	failures := map[string]Failure{}
	o.Fail(failures, b, "a", now)
	if err := SetFailures(b, failures); err != nil {
		t.Fatal(err)
	}
	if got := o.FailuresNow(b, now.Add(time.Hour)); len(got) != 1 {
		t.Errorf("after an hour it still counts, got %v", got)
	}
	if got := o.FailuresNow(b, now.Add(time.Hour+time.Second)); len(got) != 0 {
		t.Errorf("after more it does not, got %v", got)
	}
}

func TestBackoffValidate(t *testing.T) {
	for name, tc := range map[string]struct {
		of   Backoff
		want string
	}{
		"Zero":     {Backoff{}, ""},
		"Default":  {DefaultBackoff(), ""},
		"NoFirst":  {Backoff{0, time.Minute, time.Hour}, "--failover-backoff is 0s; use a time above 0"},
		"Negative": {Backoff{-time.Second, time.Minute, time.Hour}, "--failover-backoff is -1s; use a time above 0"},
		"Last":     {Backoff{time.Hour, time.Minute, 2 * time.Hour}, "--failover-backoff-max is 1m0s, less than --failover-backoff, which is 1h0m0s"},
		"Forget":   {Backoff{time.Second, time.Minute, time.Minute}, "--failover-backoff-reset is 1m0s, and a failure must count for longer than --failover-backoff-max"},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.of.Validate()
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}
