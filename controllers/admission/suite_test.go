// SPDX-License-Identifier: Apache-2.0

package admission_test

import (
	"context"
	"net"
	"sync"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/admission"
	"github.com/dragoman-io/dragoman/test/suite"
)

var (
	hub *suite.Suite
	// user is someone other than the control plane, and warned has the warnings for it.
	user   client.Client
	warned warnings
	// bySchema are the answers to the mistakes before the webhooks were served.
	bySchema []answer
	// running is the controller that the manager runs, and address where it serves.
	running *admission.Controller
	address string
)

func TestAdmission(t *testing.T) { suite.Specs(t, "Admission") }

var _ = BeforeSuite(func(ctx SpecContext) {
	hub = suite.Begin(ctx)
	user = someone()
	for _, crd := range []string{flinkDefinition, plainDefinition} {
		definition := &apiextensionsv1.CustomResourceDefinition{}
		Expect(yaml.Unmarshal([]byte(crd), definition)).To(Succeed())
		Expect(suite.Install(ctx, hub.Client, definition)).To(Succeed())
	}
	bySchema = ask(ctx, user)
	Expect(hub.Client.Create(ctx, brokenPolicy())).To(Succeed())
	Expect(hub.Client.Create(ctx, brokenCustomization())).To(Succeed())

	d, err := controllers.NewDeps(hub.Manager, controllers.Environment{})
	Expect(err).NotTo(HaveOccurred())
	address = freeAddress()
	running = admission.New(d, admission.Options{Address: address})
	Expect(running.Register(ctx, hub.Manager)).To(Succeed())
	Expect(hub.Run()).To(Succeed())
	served(ctx)
})

// served waits until the API server asks the webhooks of both configurations, which it reads
// apart.
func served(ctx context.Context) {
	GinkgoHelper()
	Eventually(func() error { return user.Create(ctx, flinkPolicy("served", "{ .a[ }"), client.DryRunAll) }).
		Should(MatchError(ContainSubstring("is not a JSONPath")))
	Eventually(func(g Gomega) {
		p := flinkPolicy("served", "{ .a }")
		g.Expect(user.Create(ctx, p, client.DryRunAll)).To(Succeed())
		g.Expect(p.Labels).To(HaveKey(policyv1alpha1.PropagationPolicyPermanentIDLabel))
	}).Should(Succeed())
}

// freeAddress returns an address of this machine that nobody listens at.
func freeAddress() string {
	GinkgoHelper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// someone returns a client of a user who may do everything, and is not the control plane.
func someone() client.Client { return as("someone", "system:masters") }

// as returns a client of a user. What the API server warns of goes to warned.
func as(name string, groups ...string) client.Client {
	GinkgoHelper()
	config := rest.CopyConfig(hub.Fleet.ControlPlane.RESTConfig())
	config.Impersonate = rest.ImpersonationConfig{UserName: name, Groups: groups}
	config.WarningHandlerWithContext = &warned
	c, err := client.New(config, client.Options{Scheme: hub.Client.Scheme()})
	Expect(err).NotTo(HaveOccurred())
	return c
}

// warnings are what the API server warned of.
type warnings struct {
	mu  sync.Mutex
	all []string
}

// HandleWarningHeaderWithContext notes a warning.
func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, text)
}

// take returns the warnings since the last call.
func (w *warnings) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.all
	w.all = nil
	return all
}

// brokenPolicy is a policy that only the webhooks refuse.
func brokenPolicy() *policyv1alpha1.PropagationPolicy {
	return flinkPolicy("broken", "{ .jobStatus[ }")
}

// brokenCustomization is a customization that only the webhooks refuse.
func brokenCustomization() *configv1alpha1.ResourceInterpreterCustomization {
	return suite.Customization("broken", schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"},
		configv1alpha1.CustomizationRules{HealthInterpretation: &configv1alpha1.Script{LuaScript: "function InterpretHealth(obj"}})
}

// flinkPolicy returns a policy that preserves the state of FlinkDeployments.
func flinkPolicy(name, path string) *policyv1alpha1.PropagationPolicy {
	p := &policyv1alpha1.PropagationPolicy{}
	p.Namespace, p.Name = "default", name
	p.Spec.ResourceSelectors = []policyv1alpha1.ResourceSelector{{APIVersion: "flink.apache.org/v1beta1", Kind: "FlinkDeployment"}}
	p.Spec.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{
		StatePreservation: &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{{AliasLabelName: "job", JSONPath: path}}},
	}}
	return p
}

const flinkDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: flinkdeployments.flink.apache.org}
spec:
  group: flink.apache.org
  scope: Namespaced
  names: {kind: FlinkDeployment, listKind: FlinkDeploymentList, plural: flinkdeployments, singular: flinkdeployment}
  versions:
  - name: v1beta1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              image: {type: string}
              job: {type: object, properties: {parallelism: {type: integer}}}
          status:
            type: object
            properties:
              jobStatus: {type: object, properties: {jobId: {type: string}, state: {type: string}}}
`

const plainDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: plains.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Plain, listKind: PlainList, plural: plains, singular: plain}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`
