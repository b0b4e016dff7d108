// SPDX-License-Identifier: Apache-2.0

package member_test

import (
	"fmt"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/suite"
)

var configMaps = corev1.SchemeGroupVersion.WithKind("ConfigMap")

// seen keeps events as lines.
type seen struct {
	mu    sync.Mutex
	lines []string
}

func (s *seen) note(e member.Event) {
	what, object := "changed", e.New
	switch {
	case e.Old == nil:
		what = "new"
	case e.New == nil:
		what, object = "gone", e.Old
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf("%s %s %s of %s", e.Cluster, what, object.GetName(), e.Work))
}

func (s *seen) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.lines...)
}

var _ = Describe("A member", func() {
	var (
		m      *member.Member
		events *seen
		direct client.Client
		id     string
		work   types.NamespacedName
	)
	BeforeEach(func(ctx SpecContext) {
		registry := member.NewRegistry(hub.Client)
		DeferCleanup(registry.Close)
		events = &seen{}
		registry.Listen(events.note)
		var err error
		m, err = registry.Connect(ctx, joined(ctx, hub.Fleet.Members[0]))
		Expect(err).NotTo(HaveOccurred())
		work = types.NamespacedName{Namespace: names.ExecutionSpace(m.Name), Name: "w"}
		direct = clientOf(hub.Fleet.Members[0])
		id = string(uuid.NewUUID())[:8]
	})

	// ofSpec are the events about the objects of this spec.
	ofSpec := func() []string {
		var own []string
		for _, line := range events.all() {
			var cluster, what, name, rest string
			if _, err := fmt.Sscanf(line, "%s %s %s of %s", &cluster, &what, &name, &rest); err == nil && len(name) >= len(id) && name[len(name)-len(id):] == id {
				own = append(own, what+" "+name[:len(name)-len(id)-1]+" of "+strings.TrimPrefix(rest, work.Namespace+"/"))
			}
		}
		return own
	}

	It("sends events of managed objects that are new, changed and deleted, with their Work", func(ctx SpecContext) {
		Expect(m.Watch(ctx, configMaps)).To(Succeed())
		object := configMap("a-"+id, work)
		Expect(direct.Create(ctx, object)).To(Succeed())
		Eventually(ofSpec).Should(Equal([]string{"new a of w"}))
		object.Data = map[string]string{"a": "b"}
		Expect(direct.Update(ctx, object)).To(Succeed())
		Eventually(ofSpec).Should(HaveLen(2))
		Expect(direct.Delete(ctx, object)).To(Succeed())
		Eventually(ofSpec).Should(Equal([]string{"new a of w", "changed a of w", "gone a of w"}))
		Expect(events.all()[0]).To(HavePrefix(m.Name + " "))
	})

	It("sends an event of an object that loses its mark as if it were deleted", func(ctx SpecContext) {
		Expect(m.Watch(ctx, configMaps)).To(Succeed())
		object := configMap("a-"+id, work)
		Expect(direct.Create(ctx, object)).To(Succeed())
		Eventually(ofSpec).Should(HaveLen(1))
		delete(object.Labels, workv1alpha2.ManagedLabel)
		Expect(direct.Update(ctx, object)).To(Succeed())
		Eventually(ofSpec).Should(HaveExactElements(HavePrefix("new"), HavePrefix("gone")))
		_, err := m.Get(configMaps, client.ObjectKeyFromObject(object))
		Expect(apierrors.IsNotFound(err)).To(BeTrue(), "an object without the mark is not managed: %v", err)
	})

	It("sends no events of objects that are not managed or name no Work of this cluster", func(ctx SpecContext) {
		Expect(m.Watch(ctx, configMaps)).To(Succeed())
		foreign := configMap("foreign-"+id, work)
		delete(foreign.Labels, workv1alpha2.ManagedLabel)
		Expect(direct.Create(ctx, foreign)).To(Succeed())
		nameless := configMap("nameless-"+id, types.NamespacedName{Namespace: work.Namespace})
		Expect(direct.Create(ctx, nameless)).To(Succeed())
		elsewhere := configMap("elsewhere-"+id, types.NamespacedName{Namespace: "karmada-es-another", Name: "w"})
		Expect(direct.Create(ctx, elsewhere)).To(Succeed())
		Expect(direct.Create(ctx, configMap("own-"+id, work))).To(Succeed())
		Eventually(ofSpec).Should(Equal([]string{"new own of w"}), "events come in order, so the others would be here")
	})

	It("sends an event of each object that exists when the watch begins", func(ctx SpecContext) {
		Expect(direct.Create(ctx, configMap("a-"+id, work))).To(Succeed())
		Expect(m.Watch(ctx, configMaps)).To(Succeed())
		Eventually(ofSpec).Should(Equal([]string{"new a of w"}))
	})

	It("watches a kind once, however often it is asked to", func(ctx SpecContext) {
		for range 3 {
			Expect(m.Watch(ctx, configMaps)).To(Succeed())
		}
		Expect(direct.Create(ctx, configMap("a-"+id, work))).To(Succeed())
		Expect(direct.Create(ctx, configMap("b-"+id, work))).To(Succeed())
		Eventually(ofSpec).Should(ContainElement(HavePrefix("new b")))
		Expect(ofSpec()).To(HaveLen(2))
	})

	It("reads managed objects from the watch, and nothing before it", func(ctx SpecContext) {
		object := configMap("a-"+id, work)
		Expect(direct.Create(ctx, object)).To(Succeed())
		_, err := m.Get(configMaps, client.ObjectKeyFromObject(object))
		Expect(err).To(MatchError(member.ErrNotSynced))
		Expect(m.Watch(ctx, configMaps)).To(Succeed())
		Eventually(func() (string, error) {
			got, err := m.Get(configMaps, client.ObjectKeyFromObject(object))
			if err != nil {
				return "", err
			}
			return got.GetResourceVersion(), nil
		}).Should(Equal(object.ResourceVersion))
	})

	It("refuses to watch a kind that the cluster does not serve, until it does", func(ctx SpecContext) {
		kind := schema.GroupVersionKind{Group: "g" + id + ".example.io", Version: "v1", Kind: "Thing"}
		crd := fixture.Definition(kind, apiextensionsv1.NamespaceScoped)
		err := m.Watch(ctx, kind)
		Expect(err).To(MatchError(ContainSubstring("cluster " + m.Name + " does not serve " + kind.String())))
		Expect(meta.IsNoMatchError(err)).To(BeTrue())
		live, err := client.NewWithWatch(hub.Fleet.Members[0].RESTConfig(), client.Options{Scheme: hub.Manager.GetScheme()})
		Expect(err).NotTo(HaveOccurred())
		Expect(suite.Install(ctx, live, crd)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) {
			Expect(live.Delete(ctx, &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: crd.Name}})).To(Succeed())
		})
		Eventually(func() error { return m.Watch(ctx, kind) }).Should(Succeed())
	})
})
