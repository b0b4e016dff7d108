// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	clocktesting "k8s.io/utils/clock/testing"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers"
)

// kept is the one lease of a server, which keeps times to the microsecond.
type kept struct {
	coordinationv1client.LeaseInterface
	lease *coordinationv1.Lease
	// lost is the answer to a write that is done.
	lost error
}

func (k *kept) Leases(string) coordinationv1client.LeaseInterface { return k }

func (k *kept) Get(context.Context, string, metav1.GetOptions) (*coordinationv1.Lease, error) {
	if k.lease == nil {
		return nil, apierrors.NewNotFound(coordinationv1.Resource("leases"), leaseName)
	}
	return k.lease.DeepCopy(), nil
}

func (k *kept) Create(_ context.Context, l *coordinationv1.Lease, _ metav1.CreateOptions) (*coordinationv1.Lease, error) {
	k.lease = l.DeepCopy()
	return l, nil
}

func (k *kept) Update(_ context.Context, l *coordinationv1.Lease, _ metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	k.lease = l.DeepCopy()
	for _, at := range []*metav1.MicroTime{k.lease.Spec.AcquireTime, k.lease.Spec.RenewTime} {
		if at != nil {
			at.Time = at.Truncate(time.Microsecond)
		}
	}
	return k.lease.DeepCopy(), k.lost
}

// elections are managers that lead in turn.
type elections struct {
	t      *testing.T
	clock  *clocktesting.FakeClock
	server kept
}

func newElections(t *testing.T) *elections {
	return &elections{
		t: t, clock: clocktesting.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 123456789, time.UTC)),
		server: kept{lease: &coordinationv1.Lease{}},
	}
}

func (e *elections) manager(id string) (*lead, *recordedLock) {
	l := &lead{clock: e.clock, limit: 10 * time.Second}
	return l, l.lockOf(&e.server, "ns", resourcelock.ResourceLockConfig{Identity: id})
}

// write reads the lease and writes it, as the library does.
func (e *elections) write(lock *recordedLock, holder string, acquired time.Time) {
	e.t.Helper()
	if _, _, err := lock.Get(e.t.Context()); err != nil {
		e.t.Fatal(err)
	}
	r := resourcelock.LeaderElectionRecord{HolderIdentity: holder}
	r.AcquireTime.Time, r.RenewTime.Time = acquired, e.clock.Now()
	if err := lock.Update(e.t.Context(), r); !errors.Is(err, e.server.lost) {
		e.t.Fatal(err)
	}
	e.clock.Step(2 * time.Second)
}

// lead has a manager lead for two writes, and returns what it knows.
func (e *elections) lead(id string) (*lead, *recordedLock) {
	e.t.Helper()
	l, lock := e.manager(id)
	e.write(lock, id, e.clock.Now())
	e.write(lock, id, e.server.lease.Spec.AcquireTime.Time)
	return l, lock
}

// says returns terms as text: the holder, and when it acquired and renewed the lease in whole
// seconds since the first.
func (e *elections) says(terms []controllers.Term) string {
	var said []string
	began := time.Date(2026, 1, 1, 0, 0, 0, 123456000, time.UTC)
	for _, t := range terms {
		said = append(said, fmt.Sprintf("%q %s-%s", t.Holder, t.Acquired.Sub(began), t.Renewed.Sub(began)))
	}
	return strings.Join(said, ", ")
}

// Who leads knows whom it follows, also after that one has given up its lease and its name, and
// who led before.
func TestTerms(t *testing.T) {
	e := newElections(t)
	x, _ := e.lead("x")
	if got := e.says(x.Formers()); got != "" {
		t.Errorf("the first leader follows %s", got)
	}
	if got := x.Term(); got.Holder != "x" || !got.Renewed.Equal(e.clock.Now().Add(-2*time.Second)) {
		t.Errorf("the term of the first leader is %+v", got)
	}

	y, ys := e.lead("y")
	if got, want := e.says(y.Formers()), `"x" 0s-2s`; got != want {
		t.Errorf("the second leader follows %s, want %s", got, want)
	}
	e.write(ys, "", e.clock.Now()) // as the library gives a lease up
	z, _ := e.lead("z")
	if got, want := e.says(z.Formers()), `"" 4s-8s, "x" 0s-2s`; got != want {
		t.Errorf("the third leader follows %s, want %s", got, want)
	}

	// The write that takes the lease is done, and its answer is lost.
	w, ws := e.manager("w")
	e.server.lost = errors.New("no answer")
	e.write(ws, "w", e.clock.Now())
	e.server.lost = nil
	e.write(ws, "w", e.server.lease.Spec.AcquireTime.Time)
	if got, want := e.says(w.Formers()), `"z" 10s-12s, "" 4s-8s, "x" 0s-2s`; got != want {
		t.Errorf("a leader whose first answer was lost follows %s, want %s", got, want)
	}
}

// Who finds no lease does not follow who held it: that one may lead for a time, and has not ended.
func TestTermsOfALeaseThatIsDeleted(t *testing.T) {
	e := newElections(t)
	e.lead("x")
	y, ys := e.manager("y")
	if _, _, err := ys.Get(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.server.lease = nil
	if _, _, err := ys.Get(t.Context()); !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	if err := ys.Create(t.Context(), resourcelock.LeaderElectionRecord{HolderIdentity: "y"}); err != nil {
		t.Fatal(err)
	}
	if got := e.says(y.Formers()); got != "" {
		t.Errorf("the leader follows %s", got)
	}
}

// The lease does not grow with the number of its leaders, and what it says of them may be wrong.
func TestTermsAreBounded(t *testing.T) {
	e := newElections(t)
	for i := range maxTerms + 4 {
		e.lead(fmt.Sprintf("m%d", i))
	}
	last, _ := e.lead("last")
	if got := last.Formers(); len(got) != maxTerms || got[0].Holder != "m19" || got[maxTerms-1].Holder != "m4" {
		t.Errorf("the last leader follows %s", e.says(got))
	}
	longest := strings.Repeat("x", 253+1+36) // a name of a host and an id
	for range maxTerms + 1 {
		e.lead(longest)
		longest = longest[1:]
	}
	if size := len(e.server.lease.Annotations[clusterv1alpha1.FormerTermsAnnotation]); size > maxTermsSize {
		t.Errorf("the longest names take %d bytes, of which %d are read", size, maxTermsSize)
	}
	for _, bad := range []string{"", "{", `{"holder":"x"}`, `[1]`, `[{"acquired":"today"}]`, `[]`, "[" + strings.Repeat(" ", maxTermsSize) + "]"} {
		e.server.lease.Annotations[clusterv1alpha1.FormerTermsAnnotation] = bad
		next, _ := e.lead("next" + bad[:min(len(bad), 9)])
		if got := next.Formers(); len(got) != 1 {
			t.Errorf("after %.20q the next leader follows %s", bad, e.says(got))
		}
	}
}

// Whatever the annotation says, it names few terms, and they are read again as they were written.
func FuzzReadTerms(f *testing.F) {
	for _, seed := range []string{
		`[{"holder":"x","acquired":"2026-01-01T00:00:00.123456Z","renewed":"2026-01-01T00:00:02.123456Z"}]`,
		`[{"acquired":null}]`, `[null]`, `[]`, `{`, `[{"acquired":"9999-12-31T23:59:59.999999-23:59"}]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l := &coordinationv1.Lease{}
		metav1.SetMetaDataAnnotation(&l.ObjectMeta, clusterv1alpha1.FormerTermsAnnotation, text)
		terms := readTerms(l)
		if len(terms) > maxTerms {
			t.Errorf("%d terms", len(terms))
		}
		writeTerms(l, terms)
		again := readTerms(l)
		if len(again) != len(terms) && len(text) < maxTermsSize/6 { // six are the most that one character takes
			t.Fatalf("%d terms are written, %d are read", len(terms), len(again))
		}
		for i := range again {
			if again[i].Holder != terms[i].Holder || !again[i].Acquired.Equal(terms[i].Acquired.Truncate(time.Microsecond)) {
				t.Errorf("term %d is written as %+v and read as %+v", i, terms[i], again[i])
			}
		}
	})
}
