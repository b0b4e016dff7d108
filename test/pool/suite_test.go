// SPDX-License-Identifier: Apache-2.0

package pool_test

import (
	"context"
	"net"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	. "github.com/onsi/gomega/gbytes"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/test/fixture"
	"github.com/dragoman-io/dragoman/test/install"
	"github.com/dragoman-io/dragoman/test/pool"
)

func TestPool(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Pool")
}

var (
	running *pool.Pool
	socket  string
	said    *Buffer
)

var _ = BeforeSuite(func(ctx SpecContext) {
	SetDefaultEventuallyTimeout(2 * time.Minute)
	said = NewBuffer()
	var err error
	running, err = pool.Start(ctx, 1, 1, said)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(running.Stop()).To(Succeed()) })
	socket = filepath.Join(GinkgoT().TempDir(), "s")
	l, err := net.Listen("unix", socket)
	Expect(err).NotTo(HaveOccurred())
	serving, stop := context.WithCancel(context.Background())
	var tasks sync.WaitGroup
	tasks.Go(func() { defer GinkgoRecover(); Expect(running.Listen(serving, l)).To(Succeed()) })
	tasks.Go(func() { defer GinkgoRecover(); Expect(running.Watch(serving)).To(Succeed()) })
	DeferCleanup(func() {
		stop()
		tasks.Wait()
	})
})

// take takes the hub and the member for a suite.
func take(ctx context.Context, holder string) *pool.Lease {
	GinkgoHelper()
	l, err := pool.Take(ctx, socket, pool.Request{Holder: holder, Members: []string{"one"}})
	Expect(err).NotTo(HaveOccurred())
	return l
}

func clientOf(c *fleet.Cluster) client.WithWatch {
	GinkgoHelper()
	scheme, err := controllers.Scheme()
	Expect(err).NotTo(HaveOccurred())
	made, err := client.NewWithWatch(c.RESTConfig(), client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())
	return made
}

// kill kills a process of the pool.
func kill(ctx context.Context, name string) {
	GinkgoHelper()
	status, err := fleet.Inspect(ctx, running.Dir())
	Expect(err).NotTo(HaveOccurred())
	for _, p := range status.Processes {
		if p.Name == name {
			Expect(syscall.Kill(p.PID, syscall.SIGKILL)).To(Succeed())
			return
		}
	}
	Fail("there is no process " + name)
}

var _ = Describe("a server", Ordered, func() {
	It("is what it was at first for the next suite", func(ctx SpecContext) {
		first := take(ctx, "first")
		Expect(first.Members).To(HaveExactElements(HaveField("Name", "one")))
		hub := clientOf(first.Hub)
		kind := schema.GroupVersionKind{Group: "left.example.com", Version: "v1", Kind: "Leftover"}
		Expect(install.CRDs(ctx, hub, fixture.Definition(kind, apiextensionsv1.NamespaceScoped))).To(Succeed())
		left := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "left", Finalizers: []string{"example.com/never"}}}
		Expect(hub.Create(ctx, left)).To(Succeed())
		// Kinds of Dragoman, and what the server made for itself.
		shipped := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "works.work.karmada.io"}}
		Expect(hub.Delete(ctx, shipped)).To(Succeed())
		space := &corev1.Namespace{}
		Expect(hub.Get(ctx, client.ObjectKey{Name: "default"}, space)).To(Succeed())
		space.Labels["left"] = "yes"
		Expect(hub.Update(ctx, space)).To(Succeed())
		Expect(first.Close()).To(Succeed())

		second := take(ctx, "second")
		defer second.Close() //nolint:errcheck // it ends with the spec
		hub = clientOf(second.Hub)
		Expect(hub.Get(ctx, client.ObjectKeyFromObject(left), left)).To(Satisfy(apierrors.IsNotFound))
		_, err := hub.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
		Expect(err).To(HaveOccurred(), "the kind that the suite before had installed")
		Expect(hub.Get(ctx, client.ObjectKeyFromObject(shipped), shipped)).To(Succeed())
		Expect(shipped.DeletionTimestamp).To(BeNil())
		Expect(hub.Get(ctx, client.ObjectKey{Name: "default"}, space)).To(Succeed())
		Expect(space.Labels).NotTo(HaveKey("left"))
		Expect(running.Problems()).To(Succeed())
	})

	It("is given to the next when it is given back, and not before", func(ctx SpecContext) {
		first := take(ctx, "first")
		brief, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		defer cancel()
		_, err := pool.Take(brief, socket, pool.Request{Holder: "impatient"})
		Expect(err).To(MatchError(context.DeadlineExceeded))
		Expect(first.Close()).To(Succeed())
		Expect(take(ctx, "second").Close()).To(Succeed())
	})

	It("refuses who wants more than there is", func(ctx SpecContext) {
		_, err := pool.Take(ctx, socket, pool.Request{Holder: "greedy", Members: []string{"a", "b"}})
		Expect(err).To(MatchError(ContainSubstring("greedy wants 2 members, and the pool has 1 bare servers")))
	})

	It("names who writes to it after giving it back", func(ctx SpecContext) {
		first := take(ctx, "controllers/careless")
		member := clientOf(first.Members[0])
		Expect(first.Close()).To(Succeed())
		Eventually(running.Idle).WithContext(ctx).Should(BeTrue())
		late := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "late"}}
		Expect(member.Create(ctx, late)).To(Succeed())

		second := take(ctx, "second")
		defer second.Close() //nolint:errcheck // it ends with the spec
		Expect(said).To(Say(`controllers/careless wrote to bare1 after it had given it back: \[/bare1/configmaps/default/late\]`))
		Expect(running.Problems()).To(MatchError(ContainSubstring("controllers/careless wrote to bare1")))
		Expect(member.Get(ctx, client.ObjectKeyFromObject(late), late)).To(Satisfy(apierrors.IsNotFound))
	})

	It("names who had it when it ended, and serves the next again", func(ctx SpecContext) {
		first := take(ctx, "controllers/deadly")
		kill(ctx, "control-plane-kube-apiserver")
		Eventually(said).WithContext(ctx).Should(Say("control-plane ended while controllers/deadly had it: .*signal: killed"))
		Expect(first.Close()).To(Succeed())
		second := take(ctx, "second")
		defer second.Close() //nolint:errcheck // it ends with the spec
		Expect(clientOf(second.Hub).List(ctx, &corev1.NamespaceList{})).To(Succeed())
	})
})
