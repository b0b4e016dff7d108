// SPDX-License-Identifier: Apache-2.0

package override

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

// Cost returns what Apply takes from its budget, in values.
func Cost(object *unstructured.Unstructured, cluster *clusterv1alpha1.Cluster, p Policies) (int, error) {
	r := newRun(object, cluster)
	_, err := r.apply(object, p)
	return r.budget.Taken(), err
}
