// SPDX-License-Identifier: Apache-2.0

package status

import (
	"errors"
	"fmt"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
)

// second returns a time of a test.
func second(n int) time.Time { return time.Unix(int64(n), 0) }

func TestJudge(t *testing.T) {
	me := base.Term{Holder: "me", Acquired: second(100), Renewed: second(130)}
	// It was seen first at 1000 by the clock of this process, and lasts 40 seconds.
	of := func(holder string, acquired, elected int, renewed bool) sight {
		s := sight{lease: lease{version: "u/1", holder: holder, duration: 40 * time.Second}, since: second(1000), renewed: renewed}
		s.acquired = second(acquired)
		if elected != 0 {
			s.elected = second(elected)
		}
		return s
	}
	before := func(holder string, acquired, renewed int) base.Term {
		return base.Term{Holder: holder, Acquired: second(acquired), Renewed: second(renewed)}
	}
	for name, test := range map[string]struct {
		sight   sight
		former  base.Term
		earlier []base.Term // before the former one, newest first
		now     int
		want    verdict
	}{
		"no lease: a member that is new, or a version that left none": {now: 1000, want: free},
		"its own":           {sight: of("me", 100, 120, false), now: 1000, want: own},
		"its own, long ago": {sight: of("me", 100, 120, true), now: 5000, want: own},
		"given up":          {sight: of("", 0, 0, false), now: 1000, want: free},
		"a handover: the former leader lost or left its lease":     {sight: of("x", 10, 50, false), former: before("x", 10, 50), now: 1000, want: free},
		"renewed its election after it renewed this":               {sight: of("x", 10, 50, true), former: before("x", 10, 58), now: 1000, want: free},
		"gave up its election":                                     {sight: of("x", 10, 50, false), former: before("", 10, 60), now: 1000, want: free},
		"a leader after the holder ended before it took this":      {sight: of("x", 10, 50, true), former: before("y", 70, 80), earlier: []base.Term{before("x", 10, 58)}, now: 1000, want: free},
		"and the second after it, too":                             {sight: of("x", 10, 50, true), former: before("", 90, 95), earlier: []base.Term{before("y", 70, 80), before("x", 10, 58)}, now: 1000, want: free},
		"a copy of a store that such a leader had":                 {sight: of("x", 10, 50, true), former: before("y", 70, 80), earlier: []base.Term{before("x", 10, 49)}, now: 1000, want: foreign},
		"a copy: the holder was elected longer than its store has": {sight: of("x", 10, 50, false), former: before("x", 10, 49), now: 1000, want: awaited},
		"and is seen to live":                                      {sight: of("x", 10, 50, true), former: before("x", 10, 49), now: 1000, want: foreign},
		"a copy of a store whose leader had given up":              {sight: of("x", 10, 50, false), former: before("", 9, 60), now: 1000, want: awaited},
		"another name of the former leader":                        {sight: of("x", 10, 50, false), former: before("y", 10, 60), now: 1000, want: awaited},
		"another term of the same name":                            {sight: of("x", 10, 50, false), former: before("x", 11, 60), now: 1000, want: awaited},
		"a holder that was not elected is not known to have ended": {sight: of("x", 10, 0, false), former: before("x", 10, 60), now: 1000, want: awaited},
		"nor is one where there is no former term":                 {sight: of("x", 0, 50, false), now: 1000, want: awaited},
		"a stranger that was not seen to renew it yet":             {sight: of("x", 10, 50, false), now: 1039, want: awaited},
		"a stranger that renews it":                                {sight: of("x", 10, 50, true), now: 1039, want: foreign},
		"one that does not any more":                               {sight: of("x", 10, 50, true), now: 1040, want: free},
		"one that was never seen to":                               {sight: of("x", 10, 50, false), now: 1040, want: free},
	} {
		t.Run(name, func(t *testing.T) {
			formers := append([]base.Term{test.former}, test.earlier...)
			if got := judge(test.sight, me, formers, second(test.now)); got != test.want {
				t.Errorf("judge(%+v, formers %+v, at %d) = %s, want %s", test.sight, formers, test.now, got, test.want)
			}
		})
	}
}

// The clock of the holder may be years away from that of who looks: what counts is that it changed.
func TestLook(t *testing.T) {
	at := func(version, holder string) lease { return lease{version: version, holder: holder} }
	s := sight{}
	for i, step := range []struct {
		read    lease
		since   int
		renewed bool
	}{
		{read: at("u/1", "x"), since: 0},
		{read: at("u/1", "x"), since: 0},
		{read: at("u/2", "x"), since: 2, renewed: true},
		{read: at("u/2", "x"), since: 2, renewed: true},
		{read: lease{}},
		{read: at("v/1", "y"), since: 5},
	} {
		s = s.look(step.read, second(i))
		if step.read.version == "" {
			if s != (sight{}) {
				t.Errorf("step %d: %+v is remembered of a lease that is gone", i, s)
			}
			continue
		}
		if !s.since.Equal(second(step.since)) || s.renewed != step.renewed || s.lease != step.read {
			t.Errorf("step %d: %+v; want %+v since %d, renewed %t", i, s, step.read, step.since, step.renewed)
		}
	}
}

func TestWriteLease(t *testing.T) {
	elected := base.Term{Holder: "host_1", Acquired: time.Unix(10, 1234567), Renewed: time.Unix(50, 7654321)}
	l := &coordinationv1.Lease{}
	writeLease(l, "west", elected, second(60), 40*time.Second)
	if l.Namespace != "kube-system" || l.Name != names.OwnerLease("west") || l.Annotations["work.dragoman.io/owner"] != "west" {
		t.Errorf("the lease is %s/%s with the annotations %v", l.Namespace, l.Name, l.Annotations)
	}
	l.UID, l.ResourceVersion = "u", "7"
	got := readLease(l)
	if got.holder != "host_1" || got.duration != 40*time.Second || got.version != "u/7" || !sameInstant(got.acquired, elected.Acquired) || !sameInstant(got.elected, elected.Renewed) {
		t.Errorf("%+v was read of the lease of %+v", got, elected)
	}
	if !ended(got, elected) {
		t.Error("a term that was written and read is not the same")
	}
	later := elected
	later.Renewed = second(55)
	writeLease(l, "west", later, second(70), 40*time.Second)
	if got := readLease(l); !sameInstant(got.acquired, elected.Acquired) || !got.elected.Equal(second(55)) || !l.Spec.RenewTime.Equal(&metav1.MicroTime{Time: second(70)}) {
		t.Errorf("renewed, it says %+v, and %v", got, l.Spec.RenewTime)
	}

	writeLease(l, "west", base.Term{Holder: "host_2", Acquired: second(80)}, second(90), 40*time.Second)
	if got := readLease(l); got.holder != "host_2" || !got.acquired.Equal(second(80)) || !got.elected.IsZero() {
		t.Errorf("taken by a manager that is not elected, it says %+v", got)
	}
}

func TestReadLeaseOfOthers(t *testing.T) {
	if got := readLease(nil); got != (lease{}) {
		t.Errorf("no lease says %+v", got)
	}
	for name, test := range map[string]struct {
		seconds *int32
		want    time.Duration
	}{
		"none":      {want: 40 * time.Second},
		"negative":  {seconds: new(int32(-1)), want: 40 * time.Second},
		"its own":   {seconds: new(int32(240)), want: 4 * time.Minute},
		"unbounded": {seconds: new(int32(1 << 30)), want: 10 * time.Minute},
	} {
		l := &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{LeaseDurationSeconds: test.seconds}}
		l.Annotations = map[string]string{"cluster.dragoman.io/election-renewed": "yesterday"}
		if got := readLease(l); got.duration != test.want || !got.elected.IsZero() {
			t.Errorf("%s: it lasts %s and was elected %s; want %s, and never", name, got.duration, got.elected, test.want)
		}
	}
}

func TestRefused(t *testing.T) {
	leases := schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"forbidden":         {apierrors.NewForbidden(leases, "l", errors.New("no")), true},
		"not served":        {apierrors.NewNotFound(leases, "l"), true},
		"a policy":          {apierrors.NewBadRequest("no"), true},
		"the token":         {apierrors.NewUnauthorized("no"), false},
		"another writer":    {apierrors.NewConflict(leases, "l", errors.New("no")), false},
		"too many requests": {apierrors.NewTooManyRequests("later", 1), false},
		"broken":            {apierrors.NewInternalError(errors.New("no")), false},
		"no answer":         {errors.New("connection refused"), false},
	} {
		if got := refused(fmt.Errorf("renew: %w", test.err)); got != test.want {
			t.Errorf("refused(%s) = %t, want %t", name, got, test.want)
		}
	}
}

func TestLeaseDuration(t *testing.T) {
	for period, want := range map[time.Duration]time.Duration{time.Second: 40 * time.Second, 10 * time.Second: 40 * time.Second, time.Minute: 4 * time.Minute} {
		if got := leaseDuration(period); got != want {
			t.Errorf("probed each %s, a lease lasts %s, want %s", period, got, want)
		}
	}
}
