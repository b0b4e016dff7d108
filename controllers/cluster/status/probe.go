// SPDX-License-Identifier: Apache-2.0

package status

import (
	"context"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

// reasonNotReachable is the reason of a cluster that did not answer.
const reasonNotReachable = "ClusterNotReachable"

// probe asks the API server whether it is ready, and returns status, reason and message
// of the condition. The message stays the same as long as the failure does.
func probe(ctx context.Context, m *member.Member, cluster *clusterv1alpha1.Cluster) (metav1.ConditionStatus, string, string) {
	code, err := get(ctx, m, "/readyz")
	if code == http.StatusNotFound {
		code, err = get(ctx, m, "/healthz") // servers older than readyz
	}
	switch code {
	case http.StatusOK:
		return metav1.ConditionTrue, "ClusterReady", "the API server is ready"
	case 0:
		return metav1.ConditionFalse, reasonNotReachable, "the API server does not answer: " + member.Cause(err)
	case http.StatusUnauthorized, http.StatusForbidden:
		return metav1.ConditionFalse, "StatusCollectionFailed", fmt.Sprintf("the API server refuses the token in secret %s/%s: %d %s",
			cluster.Spec.SecretRef.Namespace, cluster.Spec.SecretRef.Name, code, http.StatusText(code))
	}
	return metav1.ConditionFalse, "ClusterNotReady", fmt.Sprintf("the API server says that it is not ready: %d %s", code, http.StatusText(code))
}

// get returns the status code of a request, and 0 with the error where there was no
// answer.
func get(ctx context.Context, m *member.Member, path string) (int, error) {
	var code int
	result := m.Discovery.RESTClient().Get().AbsPath(path).Do(ctx).StatusCode(&code)
	return code, result.Error()
}
