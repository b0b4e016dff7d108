// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/restmapper"
	clienttesting "k8s.io/client-go/testing"
)

func TestMapping(t *testing.T) {
	served := &fake.FakeDiscovery{Fake: &clienttesting.Fake{Resources: []*metav1.APIResourceList{
		{GroupVersion: "v1", APIResources: []metav1.APIResource{{Name: "configmaps", SingularName: "configmap", Kind: "ConfigMap", Namespaced: true, ShortNames: []string{"cm"}}}},
		{GroupVersion: "apps/v1", APIResources: []metav1.APIResource{{Name: "deployments", SingularName: "deployment", Kind: "Deployment", Namespaced: true, ShortNames: []string{"deploy"}}}},
		{GroupVersion: "apps/v1beta1", APIResources: []metav1.APIResource{{Name: "deployments", SingularName: "deployment", Kind: "Deployment", Namespaced: true, ShortNames: []string{"deploy"}}}},
		{GroupVersion: "rbac.authorization.k8s.io/v1", APIResources: []metav1.APIResource{{Name: "roles", SingularName: "role", Kind: "Role", Namespaced: true}}},
	}}}
	cached := memory.NewMemCacheClient(served)
	p := &controlPlane{mapper: restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cached), cached, nil)}
	const deployment = "apps/v1, Kind=Deployment"
	for text, want := range map[string]string{
		"deployment": deployment, "deployments": deployment, "deploy": deployment, "Deployment": deployment,
		"deployment.apps": deployment, "Deployment.apps": deployment, "deployments.v1.apps": deployment, "Deployment.v1.apps": deployment,
		"deployments.v1beta1.apps": "apps/v1beta1, Kind=Deployment", "deploy.v1beta1.apps": "apps/v1beta1, Kind=Deployment",
		"roles.rbac.authorization.k8s.io": "rbac.authorization.k8s.io/v1, Kind=Role",
		"deploy.v9.apps":                  "",
		"cm":                              "/v1, Kind=ConfigMap",
		"configmaps.v1.":                  "/v1, Kind=ConfigMap",
		"deployments.batch":               "",
		"gadget":                          "",
	} {
		got, err := p.mappingOf(text)
		switch {
		case err != nil && want != "":
			t.Errorf("%s: %v", text, err)
		case err == nil && got.GroupVersionKind.String() != want:
			t.Errorf("%s: got %s, want %q", text, got.GroupVersionKind, want)
		}
	}
}

func TestUnknownKinds(t *testing.T) {
	for kind, want := range map[schema.GroupVersionKind]bool{
		{Group: "apps", Version: "v1", Kind: "Deployment"}:      false,
		{Group: "batch", Version: "v1", Kind: "Job"}:            false,
		{Group: "batch.volcano.sh", Version: "v1", Kind: "Job"}: true,
		{Group: "agones.dev", Version: "v1", Kind: "Fleet"}:     true,
	} {
		if got, err := isUnknown(kind); got != want || err != nil {
			t.Errorf("%s: got %v, %v; want %v", kind, got, err, want)
		}
	}
}
