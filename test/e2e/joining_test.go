// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/fixture"
)

const (
	// joining is the member that these stories have join anew, joiningAccount its account by the page.
	joining        = "member3"
	joiningAccount = "system:serviceaccount:dragoman-system:dragoman"
	toJoining      = "{clusterAffinity: {clusterNames: [" + joining + "]}}"
)

// pageFile is a block of the page that is a file.
var pageFile = regexp.MustCompile("(?s)```(?:yaml|sh)\n# (\\S+\\.(?:yaml|sh))\n(.*?)```")

// page is docs/joining.md as it is followed for the joining member.
type page struct {
	// files are the files of the page by their names, which are in a folder too.
	files  map[string]string
	folder string
}

// openPage reads the page.
func openPage() page {
	GinkgoHelper()
	text, err := os.ReadFile("../../docs/joining.md")
	Expect(err).NotTo(HaveOccurred())
	p := page{files: map[string]string{}, folder: GinkgoT().TempDir()}
	here := strings.NewReplacer("https://member1.example.com:6443", env.Member(joining).URL, "member1", joining,
		"--server-side", "--server-side --force-conflicts") // the fleet has made the Cluster and its Secret
	for _, m := range pageFile.FindAllStringSubmatch(string(text), -1) {
		p.files[m[1]] = here.Replace(m[2])
		Expect(os.WriteFile(filepath.Join(p.folder, m[1]), []byte(p.files[m[1]]), 0o600)).To(Succeed())
	}
	Expect(slices.Sorted(maps.Keys(p.files))).To(Equal([]string{"account.yaml", "cluster.yaml", "join.sh", "rights.yaml", "token.sh"}))
	return p
}

// run runs commands of the page, with the contexts that they name: the first is the control plane.
func (p page) run(ctx context.Context, commands string) {
	GinkgoHelper()
	kube, err := fleet.Binaries()
	Expect(err).NotTo(HaveOccurred())
	cmd := exec.CommandContext(ctx, "sh", "-euc", commands)
	cmd.Dir = p.folder
	cmd.Env = append(os.Environ(), "HOME="+p.folder, "PATH="+kube+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"KUBECONFIG="+env.ControlPlane.Kubeconfig+string(filepath.ListSeparator)+env.Member(joining).Kubeconfig)
	out, err := cmd.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "%s", out)
	GinkgoWriter.Printf("%s", out)
}

// objects returns the objects of a file of the page.
func (p page) objects(file string) []*unstructured.Unstructured {
	GinkgoHelper()
	var all []*unstructured.Unstructured
	for document := range strings.SplitSeq(p.files[file], "---\n") {
		all = append(all, fixture.Document(document))
	}
	return all
}

// join follows the page, but for the rights of the account, and has the member be as it was before at the
// end of the spec.
func (p page) join(ctx context.Context) {
	GinkgoHelper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: names.ClusterNamespace, Name: joining}}
	before := fixture.Read(ctx, env.Hub, secret).Data
	failed, err := notApplied(ctx)
	Expect(err).NotTo(HaveOccurred())
	others := kindsOfOthers(ctx)
	made := slices.Clone(others)
	for _, o := range append(p.objects("rights.yaml"), p.objects("account.yaml")...) {
		made = append(made, o)
	}
	DeferCleanup(func(ctx SpecContext) {
		fixture.Change(ctx, env.Hub, secret, func(s *corev1.Secret) { s.Data = before })
		for _, o := range made {
			Expect(client.IgnoreNotFound(env.At(joining).Delete(ctx, o))).To(Succeed())
		}
		Eventually(troubles).WithContext(ctx).Should(BeEmpty())
		Eventually(func(ctx context.Context) ([]string, error) {
			now, err := notApplied(ctx)
			return sets.List(now.Difference(failed)), err
		}).WithContext(ctx).Should(BeEmpty(), "the Works of other specs are applied as before")
		for _, o := range made {
			Eventually(func(ctx context.Context) (bool, error) { return env.Present(ctx, joining, o) }).WithContext(ctx).Should(BeFalse())
		}
	})
	for _, o := range others {
		Expect(env.At(joining).Create(ctx, o)).To(Succeed())
	}
	p.run(ctx, strings.ReplaceAll(p.files["join.sh"], " -f rights.yaml", ""))
}

// troubles returns the conditions of the joining Cluster that a cluster of which nothing is amiss has not, each as
// "Type=Status Reason: message".
func troubles(ctx context.Context) ([]string, error) {
	cluster := &clusterv1alpha1.Cluster{}
	if err := env.Hub.Get(ctx, client.ObjectKey{Name: joining}, cluster); err != nil {
		return nil, err
	}
	var found []string
	for _, c := range cluster.Status.Conditions {
		switch c.Type {
		case clusterv1alpha1.ClusterConditionReady, clusterv1alpha1.ClusterConditionCompleteAPIEnablements:
			if c.Status == metav1.ConditionTrue {
				continue
			}
		case clusterv1alpha1.ClusterConditionPermissionsComplete, clusterv1alpha1.ClusterConditionOwnerConflict, clusterv1alpha1.ClusterConditionIDConflict:
		default:
			continue
		}
		found = append(found, fmt.Sprintf("%s=%s %s: %s", c.Type, c.Status, c.Reason, c.Message))
	}
	for _, t := range cluster.Spec.Taints {
		found = append(found, "taint "+t.Key)
	}
	return found, nil
}

// notApplied returns the names of the Works for the joining member that could not be applied.
func notApplied(ctx context.Context) (sets.Set[string], error) {
	var works workv1alpha1.WorkList
	err := env.Hub.List(ctx, &works, client.InNamespace(names.ExecutionSpace(joining)))
	failed := sets.New[string]()
	for i := range works.Items {
		if meta.IsStatusConditionFalse(works.Items[i].Status.Conditions, workv1alpha1.WorkApplied) {
			failed.Insert(works.Items[i].Name)
		}
	}
	return failed, err
}

// appliedAt returns a function that returns the condition Applied of the Work for the joining member of an
// object, as "Status: message".
func appliedAt(kind, namespace, name string) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		w := &workv1alpha1.Work{}
		err := env.Hub.Get(ctx, client.ObjectKey{Namespace: names.ExecutionSpace(joining), Name: names.Work(kind, namespace, name)}, w)
		if applied := meta.FindStatusCondition(w.Status.Conditions, workv1alpha1.WorkApplied); err == nil && applied != nil {
			return string(applied.Status) + ": " + applied.Message, nil
		}
		return "", client.IgnoreNotFound(err)
	}
}

// kindsOfOthers returns the rights for the kinds of which other specs have left a copy in the joining member:
// to the kinds of the page an operator adds those that are sent.
func kindsOfOthers(ctx context.Context) []client.Object {
	GinkgoHelper()
	var works workv1alpha1.WorkList
	Expect(env.Hub.List(ctx, &works, client.InNamespace(names.ExecutionSpace(joining)))).To(Succeed())
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "dragoman-others"}}
	seen := sets.New("ConfigMap", "Deployment.apps", "Namespace") // those of these stories
	for i := range works.Items {
		for _, manifest := range works.Items[i].Spec.Workload.Manifests {
			o := &unstructured.Unstructured{}
			Expect(o.UnmarshalJSON(manifest.Raw)).To(Succeed())
			kind := o.GroupVersionKind()
			mapping, err := env.At(joining).RESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
			if err != nil || seen.Has(kind.GroupKind().String()) {
				continue // of a kind that it does not serve there is no copy
			}
			seen.Insert(kind.GroupKind().String())
			role.Rules = append(role.Rules, rbacv1.PolicyRule{
				APIGroups: []string{kind.Group}, Resources: []string{mapping.Resource.Resource}, Verbs: []string{rbacv1.VerbAll},
			})
		}
	}
	return []client.Object{role, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role.Name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: joiningAccount}},
	}}
}

// refusedRequests returns how many requests the API server of the joining member has not authorized since it
// began. Those of others than the manager are an administrator's.
func refusedRequests(ctx context.Context) (int, error) {
	config := env.Member(joining).RESTConfig()
	c, err := rest.HTTPClientFor(config)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	response, err := c.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close() //nolint:errcheck // read whole
	refused, found := 0.0, false
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		labels, value, is := strings.Cut(lines.Text(), "} ")
		if !is || !strings.HasPrefix(labels, "authorization_attempts_total{") {
			continue
		}
		found = true
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return 0, err
		}
		if !strings.Contains(labels, `result="allowed"`) {
			refused += n
		}
	}
	if !found {
		return 0, fmt.Errorf("%s/metrics has no authorization_attempts_total", config.Host)
	}
	return int(refused), nil
}

// refusedInLog returns the lines of the manager's log, from an offset on, about what the account may not do.
func refusedInLog(offset int64) ([]string, error) {
	log, err := os.Open(env.Log)
	if err != nil {
		return nil, err
	}
	defer log.Close() //nolint:errcheck // it is read
	if _, err := log.Seek(offset, io.SeekStart); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(log)
	var refused []string
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, joiningAccount) {
			refused = append(refused, line)
		}
	}
	return refused, err
}

// withoutDefaults takes away for the rest of the spec what each account of the joining member may read, which the
// page lists as well.
func withoutDefaults(ctx context.Context) {
	GinkgoHelper()
	for _, name := range []string{"system:discovery", "system:public-info-viewer"} {
		b := &rbacv1.ClusterRoleBinding{}
		Expect(env.At(joining).Get(ctx, client.ObjectKey{Name: name}, b)).To(Succeed())
		Expect(env.At(joining).Delete(ctx, b.DeepCopy())).To(Succeed())
		b.ResourceVersion = ""
		DeferCleanup(func(ctx SpecContext) { Expect(env.At(joining).Create(ctx, b)).To(Succeed()) })
	}
}

// availableOf returns a function that returns the replicas of nginx that its template reports.
func availableOf(namespace string) func(context.Context) (int32, error) {
	return func(ctx context.Context) (int32, error) {
		d := &appsv1.Deployment{}
		err := env.Hub.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "nginx"}, d)
		return d.Status.AvailableReplicas, err
	}
}

// keeping propagates one ConfigMap that stays where it is when its template is deleted.
const keeping = `
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: kept}
spec:
  preserveResourcesOnDeletion: true
  resourceSelectors: [{apiVersion: v1, kind: ConfigMap, name: kept}]
  placement: ` + toJoining

// changeAndEnd has the manager make each sort of request in the joining member that it makes about copies: it
// changes a ConfigMap and a Deployment of a namespace, leaves an object there, waits for a kind, and deletes the
// namespace with all that is in it.
func changeAndEnd(ctx context.Context, n *corev1.Namespace, config *corev1.ConfigMap) {
	GinkgoHelper()
	fixture.Change(ctx, env.Hub, config, func(c *corev1.ConfigMap) { c.Data["k"] = "w" })
	fixture.Change(ctx, env.Hub, fixture.Nginx(n.Name, 1), func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(2)) })
	Eventually(func(ctx context.Context) (map[string]string, error) {
		c := &corev1.ConfigMap{}
		err := env.At(joining).Get(ctx, client.ObjectKeyFromObject(config), c)
		return c.Data, err
	}).WithContext(ctx).Should(Equal(map[string]string{"k": "w"}))
	Eventually(availableOf(n.Name)).WithContext(ctx).Should(BeEquivalentTo(2))

	kept := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: n.Name, Name: "kept"}}
	env.Apply(ctx, n.Name, keeping)
	Expect(env.Hub.Create(ctx, kept.DeepCopy())).To(Succeed())
	Eventually(func(ctx context.Context) (bool, error) { return env.Present(ctx, joining, kept) }).WithContext(ctx).Should(BeTrue())
	Expect(env.Hub.Delete(ctx, kept)).To(Succeed())
	Eventually(func(g Gomega, ctx context.Context) {
		c := &corev1.ConfigMap{}
		g.Expect(env.At(joining).Get(ctx, client.ObjectKeyFromObject(kept), c)).To(Succeed())
		g.Expect(ours(c)).To(BeEmpty())
	}).WithContext(ctx).Should(Succeed())
	Expect(env.At(joining).Delete(ctx, kept)).To(Succeed(), "it would keep the namespace there")

	kind := schema.GroupVersionKind{Group: "unknown.example.com", Version: "v1", Kind: "Unknown"}
	w := fixture.Work(joining, n.Name, fixture.Object(kind, n.Name, "unknown", nil))
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(env.Hub.Delete(ctx, w))).To(Succeed()) })
	Expect(env.Hub.Create(ctx, w)).To(Succeed())
	Eventually(func(ctx context.Context) (bool, error) {
		err := env.Hub.Get(ctx, client.ObjectKeyFromObject(w), w)
		return meta.IsStatusConditionFalse(w.Status.Conditions, workv1alpha1.WorkApplied), err
	}).WithContext(ctx).Should(BeTrue())
	Expect(env.Hub.Delete(ctx, w)).To(Succeed())
	Eventually(func(ctx context.Context) error { return env.Hub.Get(ctx, client.ObjectKeyFromObject(w), w) }).WithContext(ctx).Should(Satisfy(apierrors.IsNotFound))

	for _, o := range []client.Object{config, fixture.Nginx(n.Name, 2)} { // the namespace ends sooner without them
		Expect(env.Hub.Delete(ctx, o)).To(Succeed())
		Eventually(func(ctx context.Context) (bool, error) { return env.Present(ctx, joining, o) }).WithContext(ctx).Should(BeFalse())
	}
	endSpace(ctx, n)
}

// endSpace deletes a namespace of the control plane, and returns when the joining member does not have it either.
func endSpace(ctx context.Context, n *corev1.Namespace) {
	GinkgoHelper()
	Expect(client.IgnoreNotFound(env.Hub.Delete(ctx, n))).To(Succeed())
	Eventually(func(g Gomega, ctx context.Context) {
		noNamespace(ctx, g, n.Name, env.Hub, env.At(joining))
		g.Expect(worksAbout(ctx, n.Name, env.Member(joining))).To(BeEmpty())
	}).WithContext(ctx).Should(Succeed())
}

var _ = Describe("a member that joins by docs/joining.md", func() {
	It("reports what its account may not do, and works by the rights of the page alone", func(ctx SpecContext) {
		p := openPage()
		n := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "joining-"}}
		Expect(env.Hub.Create(ctx, n)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { endSpace(ctx, n) })
		config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: n.Name, Name: "config"}, Data: map[string]string{"k": "v"}}
		env.Apply(ctx, n.Name, placing("v1", "ConfigMap", config.Name, toJoining))
		env.Apply(ctx, n.Name, placing("apps/v1", "Deployment", "nginx", toJoining))

		By("joining without the rights of the account")
		p.join(ctx)
		Eventually(troubles).WithContext(ctx).Should(ContainElements(
			And(HavePrefix("PermissionsComplete=False Forbidden: "), ContainSubstring(joiningAccount), ContainSubstring(`cannot list resource "nodes"`), ContainSubstring(`cannot list resource "pods"`)),
			And(HavePrefix("OwnerConflict=Unknown LeaseUnavailable: "), ContainSubstring(joiningAccount), ContainSubstring(`cannot get resource "leases"`)),
		))
		Expect(env.Hub.Create(ctx, config.DeepCopy())).To(Succeed())
		refused := And(ContainSubstring(joiningAccount), ContainSubstring(`cannot get resource "configmaps" in API group "" in the namespace "`+n.Name+`"`))
		Eventually(appliedAt("ConfigMap", n.Name, config.Name)).WithContext(ctx).Should(And(HavePrefix("False: "), refused))
		Eventually(appliedAt("Namespace", "", n.Name)).WithContext(ctx).Should(And(HavePrefix("False: "), ContainSubstring(joiningAccount), ContainSubstring(`cannot get resource "namespaces"`)))
		work := names.Work("ConfigMap", n.Name, config.Name)
		Eventually(env.Events(ctx, names.ExecutionSpace(joining), "Work", work)).Should(ContainElement(And(HavePrefix("SyncWorkFailed: "), refused)))
		Eventually(env.Events(ctx, n.Name, "ConfigMap", config.Name)).Should(ContainElement(And(HavePrefix("SyncWorkFailed: not applied in "+joining), refused)))
		Eventually(explain(ctx, "configmap/"+config.Name, "-n", n.Name)).Should(says(1, "broken at members", joiningAccount, `cannot get resource "configmaps"`))
		Eventually(env.Events(ctx, metav1.NamespaceDefault, "Cluster", joining)).Should(ContainElement(And(HavePrefix("PermissionsMissing: "), ContainSubstring(joiningAccount))))

		By("giving it the rights")
		p.run(ctx, "kubectl --context "+joining+" apply -f rights.yaml")
		Eventually(appliedAt("ConfigMap", n.Name, config.Name)).WithContext(ctx).Should(HavePrefix("True: "))
		Expect(env.Present(ctx, joining, config)).To(BeTrue())
		Expect(env.Hub.Create(ctx, fixture.Nginx(n.Name, 1))).To(Succeed())
		Eventually(availableOf(n.Name)).WithContext(ctx).Should(BeEquivalentTo(1))

		By("connecting anew, by a token that expires")
		withoutDefaults(ctx)
		before, err := refusedRequests(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(before).NotTo(BeZero(), "it counts what was refused above")
		log, err := os.Stat(env.Log)
		Expect(err).NotTo(HaveOccurred())
		p.run(ctx, p.files["token.sh"])
		Eventually(troubles).WithContext(ctx).Should(BeEmpty())
		changeAndEnd(ctx, n, config)
		lines, err := refusedInLog(log.Size())
		Expect(err).NotTo(HaveOccurred())
		Expect(refusedRequests(ctx)).To(Equal(before), "no request is refused; the log has: %s", lines)
	}, NodeTimeout(10*time.Minute))

	It("sends copies to those namespaces alone in which its account may write", func(ctx SpecContext) {
		p := openPage()
		open, closed := env.Namespace(ctx), env.Namespace(ctx)
		p.join(ctx)
		for _, o := range p.objects("rights.yaml") {
			switch {
			case o.GetKind() == "ClusterRoleBinding" && o.GetName() == "dragoman-copies":
				o.SetKind("RoleBinding")
				o.SetNamespace(open)
				DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(env.At(joining).Delete(ctx, o))).To(Succeed()) })
			case o.GetKind() == "ClusterRole" && o.GetName() == "dragoman-content":
				rule := o.Object["rules"].([]any)[0].(map[string]any)
				rule["verbs"] = []any{"get", "list", "watch"}
			}
			Expect(env.At(joining).Create(ctx, o)).To(Succeed())
		}
		p.run(ctx, p.files["token.sh"])
		Eventually(troubles).WithContext(ctx).Should(BeEmpty())
		for _, n := range []string{open, closed} {
			env.Apply(ctx, n, placing("apps/v1", "Deployment", "nginx", toJoining))
			nginx := fixture.Nginx(n, 1)
			DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(env.Hub.Delete(ctx, nginx))).To(Succeed()) })
			Expect(env.Hub.Create(ctx, nginx.DeepCopy())).To(Succeed())
		}
		Eventually(availableOf(open)).WithContext(ctx).Should(BeEquivalentTo(1))
		Eventually(appliedAt("Deployment", closed, "nginx")).WithContext(ctx).Should(And(HavePrefix("False: "), ContainSubstring(joiningAccount),
			ContainSubstring(`cannot create resource "deployments" in API group "apps" in the namespace "`+closed+`"`)))
		for _, n := range []string{open, closed} {
			Expect(env.Hub.Delete(ctx, fixture.Nginx(n, 1))).To(Succeed())
			Eventually(appliedAt("Deployment", n, "nginx")).WithContext(ctx).Should(BeEmpty(), "the Work ends")
			Expect(env.Present(ctx, joining, fixture.Nginx(n, 1))).To(BeFalse())
		}
	}, NodeTimeout(10*time.Minute))
})
