// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/test/environment"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// explain returns a function that has the command explain an object.
func explain(ctx context.Context, args ...string) func() (environment.Answer, error) {
	return func() (environment.Answer, error) { return env.Dragoman(ctx, append([]string{"explain"}, args...)...) }
}

// says matches an answer with an exit code that has all of some texts, in their order. A
// failure shows the whole answer.
func says(code int, texts ...string) OmegaMatcher {
	return WithTransform(func(a environment.Answer) string {
		var wrong []string
		if a.Code != code {
			wrong = append(wrong, fmt.Sprintf("the exit code is %d and not %d", a.Code, code))
		}
		rest := a.Text
		for _, text := range texts {
			_, after, found := strings.Cut(rest, text)
			if !found {
				wrong = append(wrong, fmt.Sprintf("there is no %q, or not in its place", text))
				continue
			}
			rest = after
		}
		if len(wrong) == 0 {
			return ""
		}
		return strings.Join(wrong, "\n") + "; the answer is:\n" + a.Text
	}, BeEmpty())
}

// policyOf is a policy of one object of a namespace, for member1 and member2.
func policyOf(space, apiVersion, kind, name string) *policyv1alpha1.PropagationPolicy {
	return &policyv1alpha1.PropagationPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name},
		Spec: policyv1alpha1.PropagationSpec{
			ResourceSelectors: []policyv1alpha1.ResourceSelector{{APIVersion: apiVersion, Kind: kind, Name: name}},
			Placement:         policyv1alpha1.Placement{ClusterAffinity: &policyv1alpha1.ClusterAffinity{ClusterNames: []string{"member1", "member2"}}},
		},
	}
}

const (
	brokenOverride = `
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata:
  name: broken
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: nginx}]
  overrideRules:
    - targetCluster: {clusterNames: [member2]}
      overriders: {plaintext: [{path: /spec/none/x, operator: replace, value: 1}]}
`
	configMap = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: needed
`
)

var _ = Describe("dragoman explain", func() {
	It("follows a Deployment from the missing policy to its copies, and to what it depends on", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		explained := explain(ctx, "deploy/nginx", "-n", space)
		Expect(explained()).To(Equal(environment.Answer{Text: `error: read Deployment ` + space + `/nginx: deployments.apps "nginx" not found` + "\n", Code: 2}))
		Expect(env.Hub.Create(ctx, fixture.WithNeeds(fixture.Nginx(space, 1)))).To(Succeed())
		Expect(explained()).To(says(1, "broken at policy", "To do: create a policy that selects it", "binding   unreached"))

		p := policyOf(space, "apps/v1", "Deployment", "nginx")
		p.Spec.PropagateDeps, p.Spec.DependentOverrides = true, []string{"later"}
		Expect(env.Hub.Create(ctx, p)).To(Succeed())
		Eventually(explained).Should(says(1, "waiting at policy", "waits for OverridePolicy later"))
		p.Spec.DependentOverrides = nil
		Expect(env.Hub.Patch(ctx, p, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"dependentOverrides":null}}`)))).To(Succeed())
		Eventually(explained).Should(says(1, "broken at status", "binding   ok",
			"  waiting   ConfigMap "+space+"/needed: DependsOn: it does not exist", "clusters  ok        member1 (1), member2 (1)",
			"  lost      member3: did not match", "members   ok        applied in 2 of 2", "broken    member1: Unhealthy"))

		for _, o := range fixture.Needed(space) {
			Expect(env.Hub.Create(ctx, o)).To(Succeed())
		}
		Eventually(explained).Should(says(0, "Deployment "+space+"/nginx: all is well",
			"  ok        ConfigMap "+space+"/needed: DependsOn: it goes along, with ResourceBinding "+space+"/needed-configmap", "status    ok        healthy in 2 of 2"))
		Eventually(explain(ctx, "cm/needed", "-n", space)).Should(says(0, "Attached: no policy selects it", "RequiredBy: depends on it, and adds member1, member2\n"))
		Eventually(explain(ctx, "ns/"+space)).Should(says(0, "Follows: ", "clusters  ok        member1, member2", "members   ok        applied in 2 of 2"))

		a, err := explain(ctx, "deploy/nginx", "-n", space, "-o", "json")()
		Expect(err).NotTo(HaveOccurred())
		var chain struct {
			Object, Broken string
			Links          []struct{ Name, State, Subject string }
		}
		Expect(json.Unmarshal([]byte(a.Text), &chain)).To(Succeed())
		Expect(chain.Object).To(Equal("Deployment " + space + "/nginx"))
		Expect(chain.Broken).To(BeEmpty())
		Expect(chain.Links).To(HaveLen(7))
		Expect(chain.Links).To(HaveEach(HaveField("State", "ok")))
		Expect(chain.Links[2].Subject).To(Equal("ResourceBinding " + space + "/nginx-deployment"))
	}, NodeTimeout(10*time.Minute))

	It("names the override that fails, the cluster, and what waits because of that", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		env.Apply(ctx, space, brokenOverride)
		Expect(env.Hub.Create(ctx, policyOf(space, "apps/v1", "Deployment", "nginx"))).To(Succeed())
		Expect(env.Hub.Create(ctx, fixture.Nginx(space, 1))).To(Succeed())
		Eventually(explain(ctx, "deployment/nginx", "-n", space)).Should(says(1,
			"broken at works", `OverridePolicy `+space+`/broken: spec.overrideRules[0].overriders.plaintext[0], for cluster member2: replace /spec/none/x: /spec has no "none"`,
			"  waiting   member2: OverrideFailed: there is no Work yet", "members   ok        applied in 1 of 1", "status    ok        healthy in 1 of 2", "unreached member2: there is no Work"))
	}, NodeTimeout(10*time.Minute))

	It("tells what is suspended from what is refused", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		p := policyOf(space, "v1", "ConfigMap", "needed")
		p.Spec.Suspension = &policyv1alpha1.Suspension{Dispatching: new(true)}
		Expect(env.Hub.Create(ctx, p)).To(Succeed())
		env.Apply(ctx, space, configMap)
		taken := fixture.Document(configMap)
		taken.SetNamespace(space)
		Expect(env.At("member1").Create(ctx, taken)).To(Succeed())
		explained := explain(ctx, "cm/needed", "-n", space)
		Eventually(explained).Should(says(1, "waiting at works", "dispatching is suspended", "To do: remove spec.suspension from the policy",
			"members   unreached applied in 0 of 2", "status    unreached healthy in 0 of 2"))

		Expect(env.Hub.Patch(ctx, p, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"suspension":null}}`)))).To(Succeed())
		Eventually(explained).Should(says(1, "broken at members", "member1: Conflict: ", "is in cluster member1 already and is not managed from here",
			"To do: set spec.conflictResolution: Overwrite", "  ok        member2: applied", "status    ok        healthy in 1 of 2"))
	}, NodeTimeout(10*time.Minute))

	It("follows an object without a namespace", func(ctx SpecContext) {
		name := env.Namespace(ctx)
		Expect(env.Hub.Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}})).To(Succeed())
		explained := explain(ctx, "clusterroles.rbac.authorization.k8s.io/"+name)
		Expect(explained()).To(says(1, "ClusterRole "+name+": broken at policy"))
		p := &policyv1alpha1.ClusterPropagationPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: policyOf("", "rbac.authorization.k8s.io/v1", "ClusterRole", name).Spec}
		Expect(env.Hub.Create(ctx, p)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { Expect(env.Hub.Delete(ctx, p)).To(Succeed()) })
		Eventually(explained).Should(says(0, "policy    ok        ClusterPropagationPolicy "+name, "binding   ok        ClusterResourceBinding "+name+"-clusterrole",
			"clusters  ok        member1, member2", "  lost      member3: did not match", "status    ok        healthy in 2 of 2"))

		Expect(env.Hub.Patch(ctx, p, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"placement":{"clusterAffinity":{"clusterNames":["nowhere"]}}}}`)))).To(Succeed())
		Eventually(explained).Should(says(1, "broken at clusters", "NoClusterFit: 0/3 clusters are available",
			"  ok        member1: it stays there, since no other cluster fits", "  lost      member3: did not match", "members   ok        applied in 2 of 2"))
	}, NodeTimeout(10*time.Minute))
})
