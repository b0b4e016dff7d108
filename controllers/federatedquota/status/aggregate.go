// SPDX-License-Identifier: Apache-2.0

package status

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
)

// aggregate returns what the ResourceQuotas of the members report, sorted by cluster. A cluster
// that has not applied its one, or whose quota controller has not counted yet, has no item.
func aggregate(works []*workv1alpha1.Work) []policyv1alpha1.ClusterQuotaStatus {
	var all []policyv1alpha1.ClusterQuotaStatus
	for _, w := range works {
		if !meta.IsStatusConditionTrue(w.Status.Conditions, workv1alpha1.WorkApplied) || len(w.Status.ManifestStatuses) != 1 || w.Status.ManifestStatuses[0].Status == nil {
			continue
		}
		reported, ok := read(w.Status.ManifestStatuses[0].Status.Raw)
		if ok {
			all = append(all, policyv1alpha1.ClusterQuotaStatus{ClusterName: binding.ClusterOf(w), ResourceQuotaStatus: reported})
		}
	}
	slices.SortFunc(all, func(a, b policyv1alpha1.ClusterQuotaStatus) int { return strings.Compare(a.ClusterName, b.ClusterName) })
	return all
}

// plausible matches the quantities that a member may report: an exponent of many digits takes
// hours to read.
var plausible = regexp.MustCompile(`^[+-]?[0-9.]{1,40}([eE][+-]?[0-9]{1,2}|[A-Za-z]{0,2})$`)

// read reads the status of a ResourceQuota; false if it is none, or has nothing yet.
func read(raw []byte) (corev1.ResourceQuotaStatus, bool) {
	var texts struct{ Hard, Used map[string]string }
	if json.Unmarshal(raw, &texts) != nil || len(texts.Hard) == 0 {
		return corev1.ResourceQuotaStatus{}, false
	}
	for _, list := range []map[string]string{texts.Hard, texts.Used} {
		for _, text := range list {
			if !plausible.MatchString(text) {
				return corev1.ResourceQuotaStatus{}, false
			}
		}
	}
	var status corev1.ResourceQuotaStatus
	err := json.Unmarshal(raw, &status)
	return status, err == nil
}
