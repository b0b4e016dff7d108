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

// SetUnhealthySince writes the annotation, or removes it where nothing is unhealthy.
func SetUnhealthySince(b workv1alpha2.Binding, since map[string]time.Time) error {
	annotations := maps.Clone(b.GetAnnotations())
	if annotations == nil {
		annotations = map[string]string{}
	}
	delete(annotations, UnhealthySinceAnnotation)
	if len(since) > 0 {
		raw, err := json.Marshal(since)
		if err != nil {
			return fmt.Errorf("write %s: %w", UnhealthySinceAnnotation, err)
		}
		annotations[UnhealthySinceAnnotation] = string(raw)
	}
	b.SetAnnotations(annotations)
	return nil
}
