// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
)

func TestAdviseTwo(t *testing.T) {
	const (
		twoWorks = "two works must not write one object: delete the template of one, or give it another name"
		twoNames = "b and a are one cluster, which has the id x: place the template in one of them, or delete the Cluster that is too many"
	)
	of := func(name, id string) *clusterv1alpha1.Cluster {
		return &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: clusterv1alpha1.ClusterStatus{ID: id}}
	}
	for name, test := range map[string]struct {
		a, b *clusterv1alpha1.Cluster
		want string
	}{
		"one cluster has two names":       {of("b", "x"), of("a", "x"), twoNames},
		"one cluster":                     {of("a", "x"), of("a", "x"), twoWorks},
		"two clusters":                    {of("b", "y"), of("a", "x"), twoWorks},
		"clusters whose id is not known":  {of("b", ""), of("a", ""), twoWorks},
		"clusters that could not be read": {of("", ""), of("", ""), twoWorks},
	} {
		t.Run(name, func(t *testing.T) {
			if got := adviseTwo(test.a, test.b); got != test.want {
				t.Errorf("advice for %s (id %q) and %s (id %q):\ngot  %s\nwant %s", test.a.Name, test.a.Status.ID, test.b.Name, test.b.Status.ID, got, test.want)
			}
		})
	}
}
