// SPDX-License-Identifier: Apache-2.0

// Package admission serves the webhooks of the control plane and keeps what the API server
// needs to know to call them.
//
// Reads the Secret of the certificates, the configurations of the webhooks and the
// admission policies; for warnings, the OpenAPI documents of the control plane. Writes
// these objects, and nothing else. Asks the engine to compile customizations. Wakes up on
// changes of what it writes, and when a certificate is due.
//
// The webhooks set defaults and validate the kinds of package api, by the same code as
// dragoman check. What the API server can check itself stands in the CRDs and in the
// admission policies, which hold without webhooks too.
package admission

import (
	"context"
	"crypto/tls"
	"fmt"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/dragoman-io/dragoman/api/crds"
	"github.com/dragoman-io/dragoman/api/validation"
	"github.com/dragoman-io/dragoman/controllers/admission/certificate"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/requeue"
)

// Controller serves the webhooks, and keeps their certificates and configurations.
type Controller struct {
	base.Deps
	options  Options
	endpoint *endpoint // nil if nothing is served
	serving  serving
	// compiling has room for the customizations that are compiled at once.
	compiling   chan struct{}
	definitions []*apiextensionsv1.CustomResourceDefinition
	// user is the name of the control plane's own user.
	user string
	// withPolicies reports whether the API server has admission policies.
	withPolicies bool
}

// New returns the controller.
func New(d base.Deps, o Options) *Controller {
	return &Controller{Deps: d, options: o, compiling: make(chan struct{}, 1)}
}

// Name is the controller's name in logs and metrics.
func (c *Controller) Name() string { return "admission" }

// Register adds the server of the webhooks and the controller to the manager.
func (c *Controller) Register(ctx context.Context, mgr ctrl.Manager) error {
	var err error
	if c.endpoint, err = c.options.endpoint(); err != nil {
		return err
	}
	if c.definitions, err = crds.All(); err != nil {
		return err
	}
	if c.withPolicies, err = hasPolicies(mgr.GetRESTMapper()); err != nil {
		return err
	}
	if c.endpoint != nil {
		if err := c.serve(ctx, mgr); err != nil {
			return err
		}
	}
	return c.registerController(mgr)
}

// hasPolicies reports whether the API server has ValidatingAdmissionPolicies, which it has
// since Kubernetes 1.30.
func hasPolicies(mapper meta.RESTMapper) (bool, error) {
	_, err := mapper.RESTMapping(schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "ValidatingAdmissionPolicy"}, "v1")
	if meta.IsNoMatchError(err) {
		return false, nil
	}
	return err == nil, err
}

// serve adds the server to the manager, with a certificate, and what keeps that up to date.
// Each replica serves, whether it leads or not.
func (c *Controller) serve(ctx context.Context, mgr ctrl.Manager) error {
	direct, err := client.New(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		return err
	}
	if err := c.begin(ctx, direct); err != nil {
		return err
	}
	if c.user, err = userOf(ctx, mgr.GetConfig()); err != nil {
		return err
	}
	server := webhook.NewServer(webhook.Options{
		Host: c.endpoint.host, Port: c.endpoint.port,
		TLSOpts: []func(*tls.Config){func(t *tls.Config) { t.GetCertificate, t.MinVersion = c.serving.get, tls.VersionTLS12 }},
	})
	if err := c.handle(mgr, server); err != nil {
		return err
	}
	if err := mgr.Add(server); err != nil {
		return err
	}
	options := c.Options(mgr, c.Name()+".certificate", "secret")
	options.NeedLeaderElection = new(false)
	return ctrl.NewControllerManagedBy(mgr).Named(c.Name()+".certificate").
		For(&corev1.Secret{}, builder.WithPredicates(isSecret())).WithOptions(options).
		Complete(reconcile.AsReconciler(mgr.GetClient(), reconcile.ObjectReconciler[*corev1.Secret](&loader{c})))
}

// loader has the certificate of the Secret served.
type loader struct{ *Controller }

// Reconcile loads the certificate.
func (l *loader) Reconcile(_ context.Context, secret *corev1.Secret) (reconcile.Result, error) {
	return reconcile.Result{}, l.serving.load(setOf(secret))
}

// handle registers the webhooks of all kinds.
func (c *Controller) handle(mgr ctrl.Manager, server webhook.Server) error {
	kinds, err := validation.New()
	if err != nil {
		return err
	}
	documents, err := discovery.NewDiscoveryClientForConfig(mgr.GetConfig())
	if err != nil {
		return err
	}
	known := newSchemas(documents, c.Clock)
	for _, d := range c.definitions {
		kind := kinds[schema.GroupVersionKind{Group: d.Spec.Group, Version: d.Spec.Versions[0].Name, Kind: d.Spec.Names.Kind}]
		if !isInternal(d) {
			server.Register(mutatingPath(d), &admission.Webhook{Handler: &defaulter{Deps: c.Deps, kind: kind}})
		}
		server.Register(validatingPath(d), &admission.Webhook{Handler: &validator{kind: kind, more: c.more, warn: known.warn}})
	}
	return nil
}

// userOf returns the name of the user that a configuration authenticates.
func userOf(ctx context.Context, config *rest.Config) (string, error) {
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return "", err
	}
	review, err := clients.AuthenticationV1().SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("ask the API server for the name of the own user: %w", err)
	}
	return review.Status.UserInfo.Username, nil
}

// registerController adds the controller that keeps the objects, on the replica that leads.
func (c *Controller) registerController(mgr ctrl.Manager) error {
	kept := map[string]bool{ConfigurationName: true}
	for _, o := range admissionPolicies() {
		kept[o.GetName()] = true
	}
	named := predicate.NewPredicateFuncs(func(o client.Object) bool { return kept[o.GetName()] })
	all := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request { return []reconcile.Request{{}} })
	b := ctrl.NewControllerManagedBy(mgr).Named(c.Name()).WithOptions(c.Options(mgr, c.Name(), "admission")).
		WatchesRawSource(source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
			queue.Add(reconcile.Request{})
			return nil
		}))
	if c.endpoint != nil {
		b = b.Watches(&corev1.Secret{}, all, builder.WithPredicates(isSecret())).
			Watches(&admissionregistrationv1.MutatingWebhookConfiguration{}, all, builder.WithPredicates(named)).
			Watches(&admissionregistrationv1.ValidatingWebhookConfiguration{}, all, builder.WithPredicates(named))
	}
	if c.withPolicies {
		b = b.Watches(&admissionregistrationv1.ValidatingAdmissionPolicy{}, all, builder.WithPredicates(named, base.GenerationChanged{})).
			Watches(&admissionregistrationv1.ValidatingAdmissionPolicyBinding{}, all, builder.WithPredicates(named))
	}
	return b.Complete(c)
}

func isSecret() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(o client.Object) bool { return client.ObjectKeyFromObject(o) == secretKey })
}

// Reconcile renews the certificates that are due, and then has the configurations and the
// policies as they should be, so that an authority is trusted before it is used.
func (c *Controller) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	result, err := c.reconcile(ctx)
	return requeue.OnConflict(result, err)
}

func (c *Controller) reconcile(ctx context.Context) (result reconcile.Result, err error) {
	if !c.withPolicies {
		ctrl.LoggerFrom(ctx).Info("did not install admission policies, which the API server does not have; deletion protection does not hold")
	}
	if c.endpoint == nil {
		if err := c.uninstall(ctx); err != nil {
			return result, err
		}
		return result, c.ensureAll(ctx, c.installed(certificate.Set{}))
	}
	set, next, err := c.renew(ctx, c.Client)
	if err != nil {
		return result, err
	}
	result.RequeueAfter = max(next.Sub(c.Clock.Now()), time.Second)
	return result, c.ensureAll(ctx, c.installed(set))
}

func (c *Controller) ensureAll(ctx context.Context, all []client.Object) error {
	for _, o := range all {
		if err := c.ensure(ctx, o); err != nil {
			return fmt.Errorf("install %s: %w", describe(o), err)
		}
	}
	return nil
}
