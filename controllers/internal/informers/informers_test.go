// SPDX-License-Identifier: Apache-2.0

package informers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// fake is an informer whose state a test sets.
type fake struct {
	*informer
	mu           sync.Mutex
	listed, ends bool
}

func (f *fake) set(to *bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	*to = true
}

func (f *fake) is(what *bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return *what
}

// added adds an informer of a kind to a tracker.
func added(t *Tracker, group, kind string) *fake {
	f := &fake{}
	f.informer = &informer{
		kind:   schema.GroupVersionKind{Group: group, Version: "v1", Kind: kind},
		synced: func() bool { return f.is(&f.listed) }, stopped: func() bool { return f.is(&f.ends) },
	}
	t.add(f.informer)
	return f
}

// lines is a log.
type lines struct {
	mu    sync.Mutex
	began time.Time
	all   []string
}

func (l *lines) logger() logr.Logger {
	l.began = time.Now()
	return funcr.New(func(_, args string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.all = append(l.all, fmt.Sprintf("%s %s", time.Since(l.began), args))
	}, funcr.Options{})
}

// take returns what was logged since the last call.
func (l *lines) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.all
	l.all = nil
	return taken
}

func TestReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tracker, log := &Tracker{}, &lines{}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		quick, hangs, forbidden := added(tracker, "", "Secret"), added(tracker, "apps", "Deployment"), added(tracker, "work.karmada.io", "Work")
		go tracker.Report(ctx, log.logger())
		expect := func(after time.Duration, want ...string) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if diff := cmp.Diff(want, log.take()); diff != "" {
				t.Errorf("after %s the log differs (-want +got):\n%s", time.Since(log.began), diff)
			}
		}
		forbidden.failed(errors.New("works is forbidden"))
		expect(9 * time.Second)
		quick.set(&quick.listed)
		both := func(at string) []string {
			return []string{
				at + ` "level"=0 "msg"="waited for kinds to be listed" "kinds"=["apps/v1/Deployment" "work.karmada.io/v1/Work"] "waited"="` + at + `"`,
				at + ` "msg"="could not list or watch a kind" "error"="works is forbidden" "kind"="work.karmada.io/v1/Work"`,
			}
		}
		expect(time.Second, both("10s")...)
		expect(59 * time.Second)
		expect(time.Second, both("1m10s")...)
		expect(299 * time.Second)
		expect(time.Second, both("6m10s")...)

		forbidden.set(&forbidden.listed)
		expect(5*time.Minute, `11m10s "level"=0 "msg"="waited for kinds to be listed" "kinds"=["apps/v1/Deployment"] "waited"="11m10s"`)
		late := added(tracker, "", "Pod")
		expect(10*time.Second, `11m20s "level"=0 "msg"="waited for kinds to be listed" "kinds"=["apps/v1/Deployment" "v1/Pod"] "waited"="11m20s"`)
		late.set(&late.ends)
		hangs.set(&hangs.listed)
		expect(5*time.Second, `11m25s "level"=0 "msg"="listed all kinds"`)
		expect(time.Hour)
	})
}

func TestReportBoundsErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tracker, log := &Tracker{}, &lines{}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		for n := range 20 {
			added(tracker, "", fmt.Sprint("Kind", n)).failed(errors.New("refused"))
		}
		go tracker.Report(ctx, log.logger())
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if got := log.take(); len(got) != 1+maxErrors || strings.Count(got[0], "v1/Kind") != 20 {
			t.Errorf("the log has %d lines, want one with all kinds and %d errors:\n%s", len(got), maxErrors, strings.Join(got, "\n"))
		}
	})
}

func TestErr(t *testing.T) {
	var none *Tracker
	tracker := &Tracker{}
	if none.Err() != nil || tracker.Err() != nil {
		t.Errorf("without informers the errors are %v and %v", none.Err(), tracker.Err())
	}
	a, b := added(tracker, "b", "B"), added(tracker, "", "A")
	a.failed(errors.New("gone"))
	if got, want := tracker.Err(), "not listed yet: b/v1/B (gone), v1/A"; got == nil || got.Error() != want {
		t.Errorf("the error is %v, want %s", got, want)
	}
	for _, f := range []*fake{a, b} {
		f.set(&f.listed)
	}
	if err := tracker.Err(); err != nil || slices.ContainsFunc(tracker.all, func(*informer) bool { return true }) {
		t.Errorf("with all listed the error is %v, and %d are remembered", err, len(tracker.all))
	}
}
