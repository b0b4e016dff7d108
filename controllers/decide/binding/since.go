// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"time"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// UnhealthySinceAnnotation holds when the application became unhealthy in each cluster: a
// JSON map of cluster to RFC 3339 time. With it, a restart of the controller does not
// delay a failover.
const UnhealthySinceAnnotation = "failover.dragoman.io/unhealthy-since"

// UnhealthySince reads the annotation; one that cannot be parsed counts as none.
func UnhealthySince(b workv1alpha2.Binding) map[string]time.Time {
	since := map[string]time.Time{}
	if err := note(UnhealthySinceAnnotation).read(b, &since); err != nil || since == nil {
		return map[string]time.Time{}
	}
	return since
}

// ProgressSeenAnnotation holds what the status was at that time where the application was
// Progressing, and at the times of earlier progress: a JSON map of cluster to words that tell statuses
// from others, with spaces between.
const ProgressSeenAnnotation = "failover.dragoman.io/progress-seen"

// ProgressSeen reads the annotation; one that cannot be parsed counts as none.
func ProgressSeen(b workv1alpha2.Binding) map[string]string {
	seen := map[string]string{}
	if err := note(ProgressSeenAnnotation).read(b, &seen); err != nil || seen == nil {
		return map[string]string{}
	}
	return seen
}

// SetUnhealthySince writes both annotations, or removes them where nothing is unhealthy.
func SetUnhealthySince(b workv1alpha2.Binding, since map[string]time.Time, seen map[string]string) error {
	if err := note(UnhealthySinceAnnotation).write(b, since, len(since) == 0); err != nil {
		return err
	}
	return note(ProgressSeenAnnotation).write(b, seen, len(seen) == 0)
}
