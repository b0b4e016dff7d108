// SPDX-License-Identifier: Apache-2.0

package ownership

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestOwnership(t *testing.T) { suite.Specs(t, "Ownership") }

var (
	config *rest.Config
	server client.Client
	space  string
)

// ours, user and member are the writers: the control plane, who created the object, and a
// controller of the member.
const (
	ours   = client.FieldOwner("dragoman")
	user   = client.FieldOwner("kubectl")
	member = client.FieldOwner("member-controller")
)

var _ = BeforeSuite(func(ctx SpecContext) {
	f, err := fleet.StartAPIServers(ctx, fleet.Options{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(f.Stop()).To(Succeed()) })
	config = f.ControlPlane.RESTConfig()
	server, err = client.New(config, client.Options{})
	Expect(err).NotTo(HaveOccurred())
}, NodeTimeout(10*time.Minute))

var _ = BeforeEach(func(ctx SpecContext) {
	n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "own-"}}
	Expect(server.Create(ctx, n)).To(Succeed())
	space = n.Name
})

// settings returns a ConfigMap with data.
func settings(data map[string]any) *unstructured.Unstructured {
	return fixture.Object(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, space, "settings", map[string]any{"data": data})
}

// deployment returns one with containers, and with replicas where they are not 0.
func deployment(replicas int64, containers ...any) *unstructured.Unstructured {
	labels := map[string]any{"app": "shop"}
	spec := map[string]any{
		"selector": map[string]any{"matchLabels": labels},
		"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{"containers": containers}},
	}
	if replicas > 0 {
		spec["replicas"] = replicas
	}
	return fixture.Object(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, space, "shop", map[string]any{"spec": spec})
}

func container(name string) map[string]any {
	return map[string]any{"name": name, "image": "registry.local/" + name}
}

// apply writes an object as it is desired by server-side apply.
func apply(ctx context.Context, o *unstructured.Unstructured, options ...client.ApplyOption) error {
	return server.Apply(ctx, client.ApplyConfigurationFromUnstructured(o.DeepCopy()), append(options, ours)...)
}

// update writes an object as it is desired in place of what is there.
func update(ctx context.Context, o *unstructured.Unstructured) error {
	o = o.DeepCopy()
	o.SetResourceVersion(read(ctx, o).GetResourceVersion())
	return server.Update(ctx, o, ours)
}

// read returns the object as it is stored.
func read(ctx context.Context, o *unstructured.Unstructured) *unstructured.Unstructured {
	GinkgoHelper()
	stored := o.DeepCopy()
	Expect(server.Get(ctx, client.ObjectKeyFromObject(o), stored)).To(Succeed())
	return stored
}

// merge writes a merge patch as a writer.
func merge(ctx context.Context, o *unstructured.Unstructured, by client.FieldOwner, patch string) {
	GinkgoHelper()
	Expect(server.Patch(ctx, o.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(patch)), by)).To(Succeed())
}

// dataOf returns the data of a ConfigMap as it is stored.
func dataOf(ctx context.Context) map[string]string {
	GinkgoHelper()
	data, _, err := unstructured.NestedStringMap(read(ctx, settings(nil)).Object, "data")
	Expect(err).NotTo(HaveOccurred())
	return data
}

// isOwned reports whether any writer of an object owns a field of this name.
func isOwned(o *unstructured.Unstructured, field string) bool {
	for _, entry := range o.GetManagedFields() {
		if strings.Contains(string(entry.FieldsV1.GetRawBytes()), `"f:`+field+`"`) {
			return true
		}
	}
	return false
}

// bytesOwned returns how long the managedFields of an object are.
func bytesOwned(o *unstructured.Unstructured) int {
	GinkgoHelper()
	raw, err := json.Marshal(o.GetManagedFields())
	Expect(err).NotTo(HaveOccurred())
	return len(raw)
}
