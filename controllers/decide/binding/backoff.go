// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Backoff is for how long a cluster is not chosen in which an application failed, or that
// would not take it. The zero value is DefaultBackoff.
type Backoff struct {
	// First is the time after one failure. It doubles with each further one, up to Last.
	First, Last time.Duration
	// Forget is the time after which a failure does not count any more.
	Forget time.Duration
}

// DefaultBackoff returns one minute, up to half an hour, forgotten after six hours.
func DefaultBackoff() Backoff {
	return Backoff{First: time.Minute, Last: 30 * time.Minute, Forget: 6 * time.Hour}
}

// The names of the flags that set a Backoff.
const (
	BackoffFirstFlag  = "failover-backoff"
	BackoffLastFlag   = "failover-backoff-max"
	BackoffForgetFlag = "failover-backoff-reset"
)

// Validate returns what is wrong with a Backoff, by the names of the flags.
func (o Backoff) Validate() error {
	switch {
	case o == Backoff{}:
		return nil
	case o.First <= 0:
		return fmt.Errorf("--%s is %s; use a time above 0, such as 1m", BackoffFirstFlag, o.First)
	case o.Last < o.First:
		return fmt.Errorf("--%s is %s, less than --%s, which is %s; raise it or lower the other", BackoffLastFlag, o.Last, BackoffFirstFlag, o.First)
	case o.Forget <= o.Last:
		return fmt.Errorf("--%s is %s, and a failure must count for longer than --%s, which is %s; raise it", BackoffForgetFlag, o.Forget, BackoffLastFlag, o.Last)
	}
	return nil
}

func (o Backoff) orDefault() Backoff {
	if o == (Backoff{}) {
		return DefaultBackoff()
	}
	return o
}

// exclusion returns for how long a cluster is excluded after so many failures.
func (o Backoff) exclusion(tries int) time.Duration {
	o = o.orDefault()
	d := o.First
	for i := 1; i < tries && d < o.Last; i++ {
		d *= 2
	}
	return min(d, o.Last)
}

// Fail adds to failures that a binding failed in a cluster at a time.
func (o Backoff) Fail(failures map[string]Failure, b workv1alpha2.Binding, cluster string, now time.Time) {
	failures[cluster] = o.failed(b, failures[cluster], "", now)
}

// failed returns the failure of the present template after another one; refused is empty if
// the application failed.
func (o Backoff) failed(b workv1alpha2.Binding, was Failure, refused string, now time.Time) Failure {
	f := Failure{Time: metav1.NewTime(now), Tries: was.Tries + 1, Template: b.GetSpec().Resource.ResourceVersion, Refused: refused}
	if o = o.orDefault(); o != DefaultBackoff() {
		f.Until = &metav1.Time{Time: now.Add(o.exclusion(f.Tries))}
	}
	return f
}
