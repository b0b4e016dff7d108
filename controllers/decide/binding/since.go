// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"encoding/json"
	"fmt"
	"maps"
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
	if err := json.Unmarshal([]byte(b.GetAnnotations()[UnhealthySinceAnnotation]), &since); err != nil {
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
	if err := json.Unmarshal([]byte(b.GetAnnotations()[ProgressSeenAnnotation]), &seen); err != nil {
		return map[string]string{}
	}
	return seen
}

// SetUnhealthySince writes both annotations, or removes them where nothing is unhealthy.
func SetUnhealthySince(b workv1alpha2.Binding, since map[string]time.Time, seen map[string]string) error {
	annotations := maps.Clone(b.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	if err := setMap(annotations, UnhealthySinceAnnotation, since); err != nil {
		return err
	}
	if err := setMap(annotations, ProgressSeenAnnotation, seen); err != nil {
		return err
	}
	b.SetAnnotations(annotations)
	return nil
}

// setMap writes a map as JSON into an annotation, or removes that if it is empty.
func setMap[V any](annotations map[string]string, key string, values map[string]V) error {
	delete(annotations, key)
	if len(values) == 0 {
		return nil
	}
	raw, err := json.Marshal(values)
	if err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	annotations[key] = string(raw)
	return nil
}
