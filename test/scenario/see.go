// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// seeWithin bounds each wait; the steps take seconds, but for the toleration of a policy
// that is applied as it is.
const seeWithin = 2 * time.Minute

// errNotYet is the error of a condition that is not met yet; it names what is missing.
type errNotYet string

func (e errNotYet) Error() string { return string(e) }

func notYet(format string, args ...any) error { return errNotYet(fmt.Sprintf(format, args...)) }

// see watches one object until is returns nil; nil stands for an object that is not
// there. An errNotYet waits on; any other error ends the wait.
func see(ctx context.Context, in dynamic.ResourceInterface, name string, is func(o *unstructured.Unstructured) error) error {
	whole := ctx
	ctx, cancel := context.WithTimeout(ctx, seeWithin)
	defer cancel()
	selector := fields.OneTermEqualSelector("metadata.name", name).String()
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = selector
			return in.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = selector
			return in.Watch(ctx, o)
		},
	}
	last := notYet("nothing was seen of it")
	check := func(o *unstructured.Unstructured) (bool, error) {
		err := is(o)
		var later errNotYet
		if errors.As(err, &later) {
			last = err
			return false, nil
		}
		return err == nil, err
	}
	precondition := func(store cache.Store) (bool, error) {
		if len(store.List()) == 0 {
			return check(nil)
		}
		return false, nil
	}
	_, err := watchtools.UntilWithSync(ctx, lw, &unstructured.Unstructured{}, precondition, func(e watch.Event) (bool, error) {
		if e.Type == watch.Deleted {
			return check(nil)
		}
		o, ok := e.Object.(*unstructured.Unstructured)
		if !ok {
			return false, apierrors.FromObject(e.Object)
		}
		return check(o)
	})
	if err != nil && whole.Err() != nil {
		return fmt.Errorf("the scenario was ended: %w", whole.Err())
	}
	if err != nil && (ctx.Err() != nil || watchtools.ErrWatchClosed == err) { //nolint:errorlint // a sentinel
		return fmt.Errorf("not seen within %s: %w", seeWithin, last)
	}
	return err
}

// at reads a field of an object by a dotted path; "" where it is not there.
func at(o *unstructured.Unstructured, path string) string {
	if o == nil {
		return ""
	}
	v, found, err := unstructured.NestedFieldNoCopy(o.Object, strings.Split(path, ".")...)
	if err != nil || !found {
		return ""
	}
	return fmt.Sprint(v)
}

// detail prints what was seen, indented.
func (s *Scenario) detail(text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(s.Out, "         %s\n", line)
	}
}
