// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/controllers/admission/certificate"
)

// SecretName is the name of the Secret, in the namespace of the control plane, with the
// certificates of the webhooks. All replicas share it.
const SecretName = "dragoman-webhook"

// The keys of the Secret.
const (
	authoritiesKey  = "ca.crt"
	authorityKeyKey = "ca.key"
)

var secretKey = types.NamespacedName{Namespace: names.SystemNamespace, Name: SecretName}

// serving is the certificate that is served, which is replaced while the server runs.
type serving struct {
	pair atomic.Pointer[tls.Certificate]
}

// load serves the certificate of a set from now on.
func (s *serving) load(set certificate.Set) error {
	pair, err := set.Serving()
	if err != nil {
		return fmt.Errorf("read the certificate of the webhooks: %w", err)
	}
	s.pair.Store(pair)
	return nil
}

// get returns the certificate, as tls.Config calls it.
func (s *serving) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if pair := s.pair.Load(); pair != nil {
		return pair, nil
	}
	return nil, errors.New("there is no certificate yet")
}

func setOf(s *corev1.Secret) certificate.Set {
	return certificate.Set{
		Authorities: s.Data[authoritiesKey], AuthorityKey: s.Data[authorityKeyKey],
		Certificate: s.Data[corev1.TLSCertKey], Key: s.Data[corev1.TLSPrivateKeyKey],
	}
}

// renew writes the Secret if its certificates are due, and returns them, and when they are
// due next.
func (c *Controller) renew(ctx context.Context, through client.Client) (certificate.Set, time.Time, error) {
	secret := &corev1.Secret{}
	err := through.Get(ctx, secretKey, secret)
	missing := apierrors.IsNotFound(err)
	if err != nil && !missing {
		return certificate.Set{}, time.Time{}, fmt.Errorf("read the certificates of the webhooks: %w", err)
	}
	before := secret.DeepCopy()
	set, next, err := certificate.Renew(setOf(secret), c.endpoint.hosts, c.Clock.Now())
	if err != nil || !missing && set.Equal(setOf(before)) {
		return set, next, err
	}
	secret.Namespace, secret.Name = secretKey.Namespace, secretKey.Name
	secret.Data = map[string][]byte{
		authoritiesKey: set.Authorities, authorityKeyKey: set.AuthorityKey,
		corev1.TLSCertKey: set.Certificate, corev1.TLSPrivateKeyKey: set.Key,
	}
	if missing {
		return set, next, create(ctx, through, secret)
	}
	return set, next, through.Patch(ctx, secret, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

// create creates the Secret, and its namespace.
func create(ctx context.Context, through client.Client, secret *corev1.Secret) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: secret.Namespace}}
	if err := through.Create(ctx, namespace); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create the namespace of the certificates: %w", err)
	}
	return through.Create(ctx, secret)
}

// begin has a certificate served before anything else runs. Of replicas that start at once,
// one creates the Secret. The client has no cache, which has not started yet.
func (c *Controller) begin(ctx context.Context, direct client.Client) error {
	for {
		secret := &corev1.Secret{}
		err := direct.Get(ctx, secretKey, secret)
		if err == nil && c.serving.load(setOf(secret)) == nil {
			return nil
		}
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("read the certificates of the webhooks: %w", err)
		}
		set, _, err := c.renew(ctx, direct)
		if apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) {
			continue
		}
		if err != nil {
			return err
		}
		return c.serving.load(set)
	}
}
