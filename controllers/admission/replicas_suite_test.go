// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/admission"
	"github.com/dragoman-io/dragoman/controllers/admission/certificate"
)

var _ = Describe("two replicas", func() {
	It("serve one certificate, and another one without a gap when it is due", func(ctx SpecContext) {
		other := freeAddress()
		stop, err := hub.Manage(nil, func(ctx context.Context, mgr ctrl.Manager) error {
			d, err := controllers.NewDeps(mgr, controllers.Environment{})
			if err != nil {
				return err
			}
			return admission.New(d, admission.Options{Address: other, URL: "https://" + address}).Register(ctx, mgr)
		})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { Expect(stop()).To(Succeed()) })

		// A set whose certificate is due, and whose authority is trusted from the first renewal on.
		old, _, err := certificate.Renew(certificate.Set{}, []string{"127.0.0.1"}, time.Now().Add(-300*24*time.Hour))
		Expect(err).NotTo(HaveOccurred())
		write(ctx, old)
		first := servedByBoth(ctx, old, other, nil)

		ctxCalls, end := context.WithCancel(ctx)
		failed, done := make(chan error, 1), make(chan struct{})
		go func() {
			defer close(done)
			for ctxCalls.Err() == nil {
				_, a := handshake(address, old.Authorities)
				_, b := handshake(other, old.Authorities)
				c := user.Create(ctx, flinkPolicy("gap", "{ .jobStatus.jobId }"), client.DryRunAll)
				if err := errors.Join(a, b, c); err != nil {
					failed <- err
					return
				}
			}
		}()
		write(ctx, old)
		servedByBoth(ctx, old, other, first)
		end()
		<-done
		Expect(failed).NotTo(Receive())
	})
})

// write replaces the certificates in the Secret.
func write(ctx context.Context, set certificate.Set) {
	GinkgoHelper()
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = names.SystemNamespace, admission.SecretName
	Expect(hub.Client.Get(ctx, client.ObjectKeyFromObject(secret), secret)).To(Succeed())
	secret.Data = map[string][]byte{"ca.crt": set.Authorities, "ca.key": set.AuthorityKey, "tls.crt": set.Certificate, "tls.key": set.Key}
	Expect(hub.Client.Update(ctx, secret)).To(Succeed())
}

// servedByBoth waits until both replicas serve one certificate that is not due and not the
// one before, and the API server trusts its authority; it returns the certificate.
func servedByBoth(ctx context.Context, set certificate.Set, other string, before []byte) []byte {
	GinkgoHelper()
	var leaf []byte
	Eventually(func(g Gomega, ctx context.Context) {
		a, err := handshake(address, set.Authorities)
		g.Expect(err).NotTo(HaveOccurred())
		b, err := handshake(other, set.Authorities)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(a.Raw).To(Equal(b.Raw), "both serve the same")
		g.Expect(a.NotAfter).To(BeTemporally(">", time.Now().Add(300*24*time.Hour)), "it was renewed")
		g.Expect(bytes.Equal(a.Raw, before)).To(BeFalse())
		configuration := &admissionregistrationv1.ValidatingWebhookConfiguration{}
		g.Expect(hub.Client.Get(ctx, client.ObjectKey{Name: admission.ConfigurationName}, configuration)).To(Succeed())
		g.Expect(configuration.Webhooks[0].ClientConfig.CABundle).To(Equal(set.Authorities))
		g.Expect(user.Create(ctx, flinkPolicy("gap", "{ .jobStatus.jobId }"), client.DryRunAll)).To(Succeed())
		leaf = a.Raw
	}).WithContext(ctx).Should(Succeed())
	return leaf
}

// handshake returns the certificate that is served at an address, if an authority signed it.
func handshake(at string, authorities []byte) (*x509.Certificate, error) {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authorities)
	c, err := tls.Dial("tcp", at, &tls.Config{RootCAs: roots, ServerName: "127.0.0.1"})
	if err != nil {
		return nil, err
	}
	defer c.Close() //nolint:errcheck // nothing was written
	return c.ConnectionState().PeerCertificates[0], nil
}

var _ = Describe("webhooks that nobody serves", func() {
	It("hold up what they are about and nothing else, and no longer than their timeout", func(ctx SpecContext) {
		silent, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts, nobody answers
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(silent.Close)
		namespace := labelled(ctx)
		p, b := flinkPolicy("stored", "{ .jobStatus.jobId }"), configMapBinding(namespace, "stored")
		p.Namespace, p.Finalizers = namespace, []string{"spec.dragoman.io/keep"}
		Expect(user.Create(ctx, p)).To(Succeed())
		Expect(user.Create(ctx, b)).To(Succeed())
		another(ctx, namespace, "https://"+silent.Addr().String(), nil)

		refused := flinkPolicy("refused", "{ .jobStatus.jobId }")
		refused.Namespace = namespace
		Eventually(func() error { return user.Create(ctx, refused.DeepCopy(), client.DryRunAll) }).Should(
			MatchError(And(ContainSubstring(`failed calling webhook "propagationpolicy.karmada.io"`), ContainSubstring("timeout=3s"), ContainSubstring("deadline exceeded"))))

		for _, o := range []client.Object{
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "template"}},
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: "template"}},
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "another"}},
		} {
			Expect(user.Create(ctx, o, client.DryRunAll)).To(Succeed(), "%T", o)
		}
		work := &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "own"}}
		for _, o := range []client.Object{configMapBinding(namespace, "own"), work} {
			Expect(hub.Client.Create(ctx, o, client.DryRunAll)).To(Succeed(), "%T of the control plane", o)
		}
		base := b.DeepCopy()
		b.Status.SchedulerObservedGeneration = 7
		Expect(user.Status().Patch(ctx, b, client.MergeFrom(base))).To(Succeed())
		Expect(user.Delete(ctx, b)).To(Succeed())
		Expect(user.Delete(ctx, p)).To(Succeed())
		Expect(user.Patch(ctx, p, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":[]}}`)))).To(Succeed())
	})

	It("are reached at an IPv6 address, too", func(ctx SpecContext) {
		set, _, err := certificate.Renew(certificate.Set{}, []string{"::1"}, time.Now())
		Expect(err).NotTo(HaveOccurred())
		pair, err := set.Serving()
		Expect(err).NotTo(HaveOccurred())
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
		server.Listener.Close() //nolint:errcheck,gosec // it is replaced
		server.Listener, err = net.Listen("tcp", "[::1]:0")
		Expect(err).NotTo(HaveOccurred())
		server.TLS = &tls.Config{Certificates: []tls.Certificate{*pair}} //nolint:gosec // a test
		server.StartTLS()
		DeferCleanup(server.Close)
		namespace := labelled(ctx)
		another(ctx, namespace, "https://"+server.Listener.Addr().String(), set.Authorities)
		p := flinkPolicy("six", "{ .jobStatus.jobId }")
		p.Namespace = namespace
		Eventually(func() error { return user.Create(ctx, p.DeepCopy(), client.DryRunAll) }).Should(
			MatchError(ContainSubstring("status code 418")), "the answer came from there")
	})
})

// labelled creates a namespace that selectors find by its name.
func labelled(ctx context.Context) string {
	GinkgoHelper()
	namespace, err := hub.Namespace(ctx)
	Expect(err).NotTo(HaveOccurred())
	return namespace
}

// configMapBinding returns a binding of a ConfigMap.
func configMapBinding(namespace, name string) *workv1alpha2.ResourceBinding {
	b := &workv1alpha2.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	b.Spec.Resource = workv1alpha2.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Namespace: namespace, Name: name}
	return b
}

// another creates a configuration like the one that is installed, for some kinds in one
// namespace, which are asked about elsewhere. Nil authorities are those that are trusted.
func another(ctx context.Context, namespace, url string, authorities []byte) {
	GinkgoHelper()
	installed := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	Expect(hub.Client.Get(ctx, client.ObjectKey{Name: admission.ConfigurationName}, installed)).To(Succeed())
	c := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: namespace}, Webhooks: installed.Webhooks}
	c.Webhooks = slices.DeleteFunc(c.Webhooks, func(w admissionregistrationv1.ValidatingWebhook) bool {
		return !slices.Contains([]string{"propagationpolicy.karmada.io", "resourcebinding.karmada.io", "work.karmada.io"}, w.Name)
	})
	Expect(c.Webhooks).To(HaveLen(3))
	for i := range c.Webhooks {
		w := &c.Webhooks[i]
		w.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}}
		w.ClientConfig.URL = ptr.To(url + "/validate")
		if authorities != nil {
			w.ClientConfig.CABundle = authorities
		}
	}
	Expect(hub.Client.Create(ctx, c)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(hub.Client.Delete(ctx, c)).To(Succeed()) })
}
