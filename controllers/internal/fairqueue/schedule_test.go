// SPDX-License-Identifier: Apache-2.0

package fairqueue

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestSchedule runs stories. Each word of a story is a step:
//
//	+a:5=x   a submits task x, which is expected to take 5 ms; x is a if it is left out
//	-a       a drops its task
//	a=x      the next task is x of a, which is done at once, for nothing
//	a=x>     it runs on
//	a<80     the task of a ends, and took 80 ms
//	.        there is no next task
//	@30s     30 seconds pass
func TestSchedule(t *testing.T) {
	cases := map[string]struct{ reason, story string }{
		"Order":      {"what is equal goes in the order of arrival", "+a:1 +b:1 +c:1 a=a b=b c=c ."},
		"Short":      {"a task that is expected to be short goes first", "+a:500 +b:1 b=b a=a"},
		"Spent":      {"who took more comes later", "+a:1 a=a> a<80 +a:1 +b:1 b=b a=a"},
		"Large":      {"what is expected counts like what was taken", "+a:1 a=a> a<80 +a:1 +b:200 a=a b=b"},
		"Newcomer":   {"one that changes all the time does not delay another one by more than one task", "+a:1 a=a> +a:1=x +b:1 a<600 b=b a=x> +a:1=y +c:1 a<600 c=c a=y"},
		"Forgotten":  {"what was taken long ago does not count", "+a:1 a=a> a<80 @30m +b:1 b=b> b<2 +a:1 +b:1 a=a b=b"},
		"Decay":      {"half of it does after a minute", "+a:1 a=a> a<80 @1m +b:1 b=b> b<41 +c:1 c=c> c<39 +b:1 +a:1 +c:1 c=c a=a b=b"},
		"Starved":    {"a large one that waits is smaller than new ones after some minutes", "+a:700 @9m +b:1 b=b @1m +c:1 a=a c=c"},
		"Replaced":   {"a source has one task that waits, the last one", "+a:1 +a:1=x a=x ."},
		"Place":      {"a task keeps the place of the one that it replaces", "+a:1 +b:1 +a:1=x a=x b=b"},
		"Larger":     {"but not if it is larger", "+a:1 +b:1 +a:9=x b=b a=x"},
		"OneAtATime": {"two tasks of one source do not run at once", "+a:1 a=a> +a:1=x . a<1 a=x ."},
		"Between":    {"others do meanwhile", "+a:1 a=a> +a:1=x +b:1 b=b> . a<1 a=x b<1 ."},
		"Dropped":    {"a task that is dropped does not run", "+a:1 +b:1 -a b=b ."},
		"Nothing":    {"there may be nothing to drop", "-a +a:1 a=a> -a a<1 ."},
		"NextOne":    {"the one that runs is not the one that is dropped", "+a:1 a=a> +a:1=x -a a<1 ."},
		"Reborn":     {"what it took counts on after its task was dropped", "+a:1 a=a> a<80 +a:1 -a +b:1 +a:1 b=b a=a"},
		"Uncharged":  {"what did not run costs nothing", "+a:500 -a @1s +a:1 +b:2 a=a b=b"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, now := &schedule[string]{}, time.Unix(0, 0)
			for i, step := range strings.Fields(tc.story) {
				if err := play(s, &now, step); err != nil {
					t.Fatalf("%s: step %d of %s: %v", tc.reason, i, tc.story, err)
				}
			}
		})
	}
}

// play runs one step of a story.
func play(s *schedule[string], now *time.Time, step string) error {
	if d, ok := strings.CutPrefix(step, "@"); ok {
		passed, err := time.ParseDuration(d)
		*now = now.Add(passed)
		return err
	}
	if rest, ok := strings.CutPrefix(step, "+"); ok {
		rest, task, named := strings.Cut(rest, "=")
		source, expected, _ := strings.Cut(rest, ":")
		if !named {
			task = source
		}
		d, err := time.ParseDuration(expected + "ms")
		s.push(*now, source, d, task)
		return err
	}
	if source, ok := strings.CutPrefix(step, "-"); ok {
		s.drop(source)
		return nil
	}
	if source, took, ok := strings.Cut(step, "<"); ok {
		d, err := time.ParseDuration(took + "ms")
		s.done(*now, source, d)
		return err
	}
	source, task, ok := s.next(*now)
	got, want, runs := ".", strings.TrimSuffix(step, ">"), strings.HasSuffix(step, ">")
	if ok {
		got = source + "=" + task
	}
	if ok && !runs {
		s.done(*now, source, 0)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		return fmt.Errorf("next (-want +got):\n%s", diff)
	}
	return nil
}

func TestScheduleForgetsAccounts(t *testing.T) {
	s, now := &schedule[string]{}, time.Unix(0, 0)
	for i := range 100_000 {
		source := fmt.Sprint(i)
		s.push(now, source, time.Millisecond, "")
		s.next(now)
		s.done(now, source, time.Millisecond)
		now = now.Add(time.Second)
	}
	if n := len(s.accounts); n > 300 {
		t.Errorf("there are %d accounts; want no more than twice those of the last minute", n)
	}
}

// A process runs for months: keys grow, but stay precise enough.
func TestScheduleIsFairAfterAYear(t *testing.T) {
	s, now := &schedule[string]{}, time.Unix(0, 0)
	s.push(now, "first", 0, "")
	s.next(now)
	s.done(now, "first", 0)
	now = now.AddDate(1, 0, 0)
	s.push(now, "large", 2*time.Millisecond, "")
	s.push(now, "small", time.Millisecond, "")
	if got, _, _ := s.next(now); got != "small" {
		t.Errorf("got %s; want small", got)
	}
}
