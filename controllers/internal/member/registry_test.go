// SPDX-License-Identifier: Apache-2.0

package member_test

import (
	"context"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

var _ = Describe("A registry", func() {
	var (
		registry  *member.Registry
		connected []string
	)
	BeforeEach(func() {
		connected = nil
		registry = member.NewRegistry(hub.Client)
		DeferCleanup(registry.Close)
		registry.ListenConnected(func(cluster string) { connected = append(connected, cluster) })
	})

	connect := func(ctx context.Context, cluster *clusterv1alpha1.Cluster) *member.Member {
		GinkgoHelper()
		m, err := registry.Connect(ctx, cluster)
		Expect(err).NotTo(HaveOccurred())
		return m
	}

	It("keeps a connection as long as nothing changed", func(ctx SpecContext) {
		cluster := joined(ctx, hub.Fleet.Members[0])
		first := connect(ctx, cluster)
		Expect(connect(ctx, cluster)).To(BeIdenticalTo(first))
		got, ok := registry.Get(cluster.Name)
		Expect(ok).To(BeTrue())
		Expect(got).To(BeIdenticalTo(first))
		Expect(connected).To(Equal([]string{cluster.Name}), "one connection was made")
	})

	DescribeTable("replaces a connection when the way to the cluster changed", func(ctx SpecContext, change func(context.Context, *clusterv1alpha1.Cluster)) {
		cluster := joined(ctx, hub.Fleet.Members[0])
		cluster.Spec.ProxyURL = "http://127.0.0.1:1"
		first := connect(ctx, cluster)
		change(ctx, cluster)
		second := connect(ctx, cluster)
		Expect(second).NotTo(BeIdenticalTo(first))
		Expect(connected).To(Equal([]string{cluster.Name, cluster.Name}), "who watched on the first is notified of the second")
		got, _ := registry.Get(cluster.Name)
		Expect(got).To(BeIdenticalTo(second))
	},
		Entry("token", func(ctx context.Context, c *clusterv1alpha1.Cluster) {
			changeSecret(ctx, c, func(s *corev1.Secret) { s.Data[clusterv1alpha1.SecretTokenKey] = []byte("another") })
		}),
		Entry("CA bundle", func(ctx context.Context, c *clusterv1alpha1.Cluster) {
			changeSecret(ctx, c, func(s *corev1.Secret) { s.Data[clusterv1alpha1.SecretCADataKey] = hub.Fleet.Members[1].CA })
		}),
		Entry("endpoint", func(_ context.Context, c *clusterv1alpha1.Cluster) {
			c.Spec.APIEndpoint = hub.Fleet.Members[1].URL
		}),
		Entry("verification", func(_ context.Context, c *clusterv1alpha1.Cluster) { c.Spec.InsecureSkipTLSVerification = true }),
		Entry("proxy", func(_ context.Context, c *clusterv1alpha1.Cluster) { c.Spec.ProxyURL = "http://127.0.0.1:2" }),
		Entry("header of the proxy", func(_ context.Context, c *clusterv1alpha1.Cluster) {
			c.Spec.ProxyHeader = map[string]string{"Proxy-Authorization": "Basic x"}
		}),
	)

	It("returns no connection that was not admitted", func(ctx SpecContext) {
		cluster := joined(ctx, hub.Fleet.Members[0])
		m, err := registry.Open(ctx, cluster)
		Expect(err).NotTo(HaveOccurred())
		_, ok := registry.Get(cluster.Name)
		Expect(ok).To(BeFalse())
		Expect(connected).To(BeEmpty())

		registry.Admit(m)
		registry.Admit(m)
		got, ok := registry.Get(cluster.Name)
		Expect(ok).To(BeTrue())
		Expect(got).To(BeIdenticalTo(m))
		Expect(connected).To(Equal([]string{cluster.Name}), "once")

		By("opening one to another address")
		cluster.Spec.APIEndpoint = hub.Fleet.Members[1].URL
		other, err := registry.Open(ctx, cluster)
		Expect(err).NotTo(HaveOccurred())
		Expect(other).NotTo(BeIdenticalTo(m))
		_, ok = registry.Get(cluster.Name)
		Expect(ok).To(BeFalse())
		registry.Admit(m)
		_, ok = registry.Get(cluster.Name)
		Expect(ok).To(BeFalse(), "one that has ended is not admitted")
		Expect(connected).To(HaveLen(1))
	})

	It("ends nothing when another key of the Secret changes", func(ctx SpecContext) {
		cluster := joined(ctx, hub.Fleet.Members[0])
		first := connect(ctx, cluster)
		changeSecret(ctx, cluster, func(s *corev1.Secret) { s.Data["note"] = []byte("rotated in May") })
		Expect(connect(ctx, cluster)).To(BeIdenticalTo(first))
	})

	It("takes a token from a file that ends with a line break", func(ctx SpecContext) {
		cluster := joined(ctx, hub.Fleet.Members[0])
		changeSecret(ctx, cluster, func(s *corev1.Secret) {
			s.Data[clusterv1alpha1.SecretTokenKey] = append(s.Data[clusterv1alpha1.SecretTokenKey], '\n')
		})
		_, err := connect(ctx, cluster).Discovery.ServerVersion()
		Expect(err).NotTo(HaveOccurred())
	})

	DescribeTable("reports what is missing to reach a cluster", func(ctx SpecContext, spoil func(context.Context, *clusterv1alpha1.Cluster), want string) {
		cluster := joined(ctx, hub.Fleet.Members[0])
		spoil(ctx, cluster)
		_, err := registry.Connect(ctx, cluster)
		Expect(err).To(MatchError(ContainSubstring(want)))
		_, ok := registry.Get(cluster.Name)
		Expect(ok).To(BeFalse())
	},
		Entry("endpoint", func(_ context.Context, c *clusterv1alpha1.Cluster) { c.Spec.APIEndpoint = "" }, "has no spec.apiEndpoint"),
		Entry("reference", func(_ context.Context, c *clusterv1alpha1.Cluster) { c.Spec.SecretRef = nil }, "has no spec.secretRef"),
		Entry("Secret", func(_ context.Context, c *clusterv1alpha1.Cluster) { c.Spec.SecretRef.Name = "nobody" },
			`secrets "nobody" not found`),
		Entry("token", func(ctx context.Context, c *clusterv1alpha1.Cluster) {
			changeSecret(ctx, c, func(s *corev1.Secret) { delete(s.Data, clusterv1alpha1.SecretTokenKey) })
		}, `has no "token", which must hold a bearer token`),
		Entry("CA bundle that is none", func(ctx context.Context, c *clusterv1alpha1.Cluster) {
			changeSecret(ctx, c, func(s *corev1.Secret) { s.Data[clusterv1alpha1.SecretCADataKey] = []byte("none") })
		}, "unable to load root certificates"),
		Entry("proxy that is no URL", func(_ context.Context, c *clusterv1alpha1.Cluster) { c.Spec.ProxyURL = "http://a b" }, "spec.proxyURL"),
	)

	It("goes through the proxy, with its headers", func(ctx SpecContext) {
		proxy := newProxy()
		DeferCleanup(proxy.Close)
		cluster := joined(ctx, hub.Fleet.Members[0])
		cluster.Spec.ProxyURL = proxy.URL
		cluster.Spec.ProxyHeader = map[string]string{"Proxy-Authorization": "Basic eA==", "X-Hop": "a,b"}
		_, err := connect(ctx, cluster).Discovery.ServerVersion()
		Expect(err).NotTo(HaveOccurred())
		var header http.Header
		Expect(proxy.connects).To(Receive(&header))
		Expect(header.Get("Proxy-Authorization")).To(Equal("Basic eA=="))
		Expect(header.Values("X-Hop")).To(Equal([]string{"a", "b"}))
	})

	It("does not wait forever for a server that does not answer", func(ctx SpecContext) {
		silent := httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		DeferCleanup(func() {
			silent.CloseClientConnections()
			silent.Close()
		})
		registry.Timeout = 100 * time.Millisecond
		cluster := joined(ctx, hub.Fleet.Members[0])
		cluster.Spec.APIEndpoint = silent.URL
		changeSecret(ctx, cluster, func(s *corev1.Secret) {
			s.Data[clusterv1alpha1.SecretCADataKey] = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: silent.Certificate().Raw})
		})
		m := connect(ctx, cluster)
		Expect(m.Client.Get(ctx, types.NamespacedName{Name: "default"}, &corev1.Namespace{})).To(MatchError(MatchRegexp(`imeout exceeded|deadline exceeded`)))
		Expect(m.Watch(ctx, configMaps)).To(MatchError(And(ContainSubstring("ask cluster "+cluster.Name), MatchRegexp(`imeout exceeded|deadline exceeded`))))
	})

	DescribeTable("leaves nothing running after", func(ctx SpecContext, end func(cluster string)) {
		cluster := joined(ctx, hub.Fleet.Members[0])
		before := gleak.Goroutines()
		m := connect(ctx, cluster)
		Expect(m.Watch(ctx, configMaps)).To(Succeed())
		Eventually(func() error {
			_, err := m.Get(configMaps, types.NamespacedName{Namespace: "default", Name: "nobody"})
			return err
		}).Should(MatchError(ContainSubstring("not found")), "the watch was read")
		Expect(gleak.Goroutines()).To(gleak.HaveLeaked(before), "a connection with a watch has goroutines")
		end(cluster.Name)
		_, ok := registry.Get(cluster.Name)
		Expect(ok).To(BeFalse())
		Eventually(gleak.Goroutines).ShouldNot(gleak.HaveLeaked(before))
	},
		Entry("Disconnect", func(cluster string) { registry.Disconnect(cluster) }),
		Entry("Close", func(string) { registry.Close() }),
		Entry("the end of the manager that it was added to", func(string) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			Expect(registry.Start(ctx)).To(Succeed())
		}),
	)

	It("makes no connection once it is closed", func(ctx SpecContext) {
		registry.Close()
		_, err := registry.Connect(ctx, joined(ctx, hub.Fleet.Members[0]))
		Expect(err).To(MatchError(ContainSubstring("have ended")))
	})

	It("keeps a connection beyond the call that made it", func(ctx SpecContext) {
		call, cancel := context.WithCancel(ctx)
		m, err := registry.Connect(call, joined(ctx, hub.Fleet.Members[0]))
		Expect(err).NotTo(HaveOccurred())
		cancel()
		Expect(m.Watch(ctx, configMaps)).To(Succeed())
		Eventually(func() error {
			_, err := m.Get(configMaps, types.NamespacedName{Namespace: "default", Name: "nobody"})
			return err
		}).Should(MatchError(ContainSubstring("not found")), "the watch was read")
	})
})

// proxy is an HTTP proxy that reports the headers of each CONNECT.
type proxy struct {
	*httptest.Server
	connects chan http.Header
}

func newProxy() *proxy {
	p := &proxy{connects: make(chan http.Header, 10)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.connects <- r.Header
		server, err := net.Dial("tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer server.Close()
		w.WriteHeader(http.StatusOK)
		client, read, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer client.Close()
		go func() {
			_, _ = io.Copy(server, read) // the server may have read a byte ahead
			_ = server.Close()
		}()
		_, _ = io.Copy(client, server)
	}))
	return p
}
