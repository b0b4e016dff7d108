// SPDX-License-Identifier: Apache-2.0

package template

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/features"
)

// affinityGroups returns the groups that a template is in by its labels; nil if it is in
// none. A template without a namespace is in none: groups are of one namespace.
func (c *Controller) affinityGroups(object *unstructured.Unstructured, affinity *policyv1alpha1.WorkloadAffinity) *workv1alpha2.WorkloadAffinityGroups {
	if affinity == nil || object.GetNamespace() == "" || !c.Gates.Enabled(features.WorkloadAffinity) {
		return nil
	}
	groups := workv1alpha2.WorkloadAffinityGroups{}
	labels := object.GetLabels()
	if a := affinity.Affinity; a != nil {
		groups.AffinityGroup = groupOf(labels, a.GroupByLabelKey)
	}
	if a := affinity.AntiAffinity; a != nil {
		groups.AntiAffinityGroup = groupOf(labels, a.GroupByLabelKey)
	}
	if groups == (workv1alpha2.WorkloadAffinityGroups{}) {
		return nil
	}
	return &groups
}

// groupOf returns the group that a label makes, <key>=<value>; empty without the label.
func groupOf(labels map[string]string, key string) string {
	if value, ok := labels[key]; ok {
		return key + "=" + value
	}
	return ""
}
