// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

const (
	// maxStatus is how many bytes the statuses of a binding may have together. An API
	// server stores no object of more than 1.5 MiB, and the spec of a binding needs its
	// own part.
	maxStatus = 768 << 10
	// maxMessages is that of the messages.
	maxMessages = 128 << 10
)

// Bound leaves out of items what together is more than an API server stores: the largest
// statuses, until the rest fits, and the ends of messages. It returns the clusters whose
// status it left out, sorted; their health and whether they are applied stay.
func Bound(items []workv1alpha2.AggregatedStatusItem) []string {
	var bySize []*workv1alpha2.AggregatedStatusItem
	total := 0
	for i := range items {
		item := &items[i]
		if longest := maxMessages / len(items); len(item.AppliedMessage) > longest {
			item.AppliedMessage = strings.ToValidUTF8(item.AppliedMessage[:longest], "")
		}
		total += statusSize(item) + stateSize(item)
		bySize = append(bySize, item)
	}
	slices.SortStableFunc(bySize, func(a, b *workv1alpha2.AggregatedStatusItem) int { return cmp.Compare(statusSize(b), statusSize(a)) })
	var left []string
	for _, item := range bySize {
		if total <= maxStatus {
			break
		}
		total -= statusSize(item)
		item.Status = nil
		left = append(left, item.ClusterName)
	}
	slices.Sort(left)
	return left
}

func statusSize(item *workv1alpha2.AggregatedStatusItem) int {
	if item.Status == nil {
		return 0
	}
	return len(item.Status.Raw)
}

// stateSize returns the bytes of the state of an item, which is never left out.
func stateSize(item *workv1alpha2.AggregatedStatusItem) int {
	size := 0
	for key, value := range item.State {
		size += len(key) + len(value)
	}
	return size
}

// maxNamed is how many clusters a message names.
const maxNamed = 10

// ReportLeftOut adds to a condition of a binding that the statuses of clusters were left
// out.
func ReportLeftOut(condition *metav1.Condition, clusters []string) {
	if len(clusters) > 0 {
		condition.Message += fmt.Sprintf("; the statuses of %s are left out, since all together are larger than %d KiB", list(clusters), maxStatus>>10)
	}
}

// list names clusters, no more than maxNamed.
func list(clusters []string) string {
	if len(clusters) <= maxNamed {
		return strings.Join(clusters, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(clusters[:maxNamed], ", "), len(clusters)-maxNamed)
}
