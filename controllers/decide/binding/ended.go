// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"encoding/json"
	"slices"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// hasEnded reports whether the object of a Work reached a terminal state, as it was made from
// the version of the template that the Work has now: another one may run again.
func hasEnded(w *workv1alpha1.Work) bool {
	at := slices.IndexFunc(w.Status.Finished, func(f workv1alpha1.FinishedManifest) bool { return f.Ordinal == 0 })
	if at < 0 || len(w.Spec.Workload.Manifests) == 0 {
		return false
	}
	var manifest struct {
		Metadata struct {
			Annotations map[string]string `json:"annotations"`
		} `json:"metadata"`
	}
	if json.Unmarshal(w.Spec.Workload.Manifests[0].Raw, &manifest) != nil {
		return false
	}
	made, f := manifest.Metadata.Annotations, &w.Status.Finished[at]
	return made[workv1alpha2.TemplateUIDAnnotation] == f.TemplateUID && made[workv1alpha2.TemplateGenerationAnnotation] == f.TemplateGeneration
}

// Ended returns the clusters in which the copies of a binding have ended, sorted.
func Ended(b workv1alpha2.Binding) []string {
	var clusters []string
	items := b.GetStatus().AggregatedStatus
	for i := range items {
		if items[i].Finished {
			clusters = append(clusters, items[i].ClusterName)
		}
	}
	slices.Sort(clusters)
	return clusters
}
