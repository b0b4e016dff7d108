// SPDX-License-Identifier: Apache-2.0

package index

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
)

// QuotaOf returns the key of the FederatedResourceQuota that a Work puts into its cluster; false
// if it is none of these. A Work that names a binding is that of the binding.
func QuotaOf(work metav1.Object) (types.NamespacedName, bool) {
	if _, bound := BindingOf(work); bound {
		return types.NamespacedName{}, false
	}
	labels := work.GetLabels()
	key := types.NamespacedName{
		Namespace: labels[policyv1alpha1.FederatedResourceQuotaNamespaceLabel], Name: labels[policyv1alpha1.FederatedResourceQuotaNameLabel],
	}
	return key, key.Namespace != "" && key.Name != ""
}

// WorksOfQuota lists the Works of a FederatedResourceQuota; they must not be changed.
func WorksOfQuota(ctx context.Context, c client.Reader, quota types.NamespacedName) ([]*workv1alpha1.Work, error) {
	works, err := List[*workv1alpha1.Work](ctx, c, &workv1alpha1.WorkList{}, client.MatchingFields{workQuota: quota.String()})
	if err != nil {
		return nil, fmt.Errorf("list the works of quota %s: %w", quota, err)
	}
	return works, nil
}

// QuotasOfCluster lists the keys of the FederatedResourceQuotas with an assignment for a cluster.
func QuotasOfCluster(ctx context.Context, c client.Reader, cluster string) ([]types.NamespacedName, error) {
	return quotaKeys(ctx, c, client.MatchingFields{quotaCluster: cluster})
}

// QuotasIn lists the keys of the FederatedResourceQuotas of a namespace. It does not wait for
// writes in progress.
func QuotasIn(ctx context.Context, c client.Reader, namespace string) ([]types.NamespacedName, error) {
	return quotaKeys(ctx, c, client.InNamespace(namespace))
}

func quotaKeys(ctx context.Context, c client.Reader, match client.ListOption) ([]types.NamespacedName, error) {
	all, err := List[*policyv1alpha1.FederatedResourceQuota](ctx, c, &policyv1alpha1.FederatedResourceQuotaList{},
		match, client.DisableReadYourWritesConsistency)
	if err != nil {
		return nil, fmt.Errorf("list the quotas: %w", err)
	}
	return keysOf(all), nil
}

func quotasOf(o client.Object) []string {
	if key, ok := QuotaOf(o); ok {
		return []string{key.String()}
	}
	return nil
}

func assignedOf(o client.Object) []string {
	var clusters []string
	for _, a := range o.(*policyv1alpha1.FederatedResourceQuota).Spec.StaticAssignments {
		clusters = append(clusters, a.ClusterName)
	}
	return clusters
}
