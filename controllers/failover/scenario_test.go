// SPDX-License-Identifier: Apache-2.0

package failover_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/yaml"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/schedule"
	"github.com/dragoman-io/dragoman/controllers/eviction"
	"github.com/dragoman-io/dragoman/controllers/failover"
	"github.com/dragoman-io/dragoman/controllers/features"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/controllers/internal/failovers"
	"github.com/dragoman-io/dragoman/controllers/rendering"
	"github.com/dragoman-io/dragoman/controllers/scheduling"
	"github.com/dragoman-io/dragoman/test/fixture"
)

var update = flag.Bool("update", false, "rewrite testdata/*.txt with what happens now")

// The scenarios of testdata/*.txt run on the controllers of scheduling, rendering,
// failover and eviction with an API server, and a clock that only the scenario moves. A
// scenario is a list of steps, each a command (with more input on the lines below it), a
// line "----" and the binding when nothing changes any more. Lines before a command that
// start with "#" are comments.
//
//	clusters NAME ...           clusters that serve gadgets join
//	gadget                      a gadget and its binding; below it spec.failover.application, as YAML
//	report NAME HEALTH [JSON]   the member reports health and status of its copy
//	gone NAME                   the member is rid of its copy
//	pass DURATION               time passes
//	mend                        the template is changed
//	unjoin NAME                 the cluster leaves the control plane, which does not wait for its member
//	fence NAME                  a person confirms that nothing runs in the cluster
//	confirm NAME                the user confirms what purge mode Never keeps
//	history                     nothing happens; the failovers of the binding are shown
//	restart                     the controllers begin again, with nothing in memory
//
// Run with -update to rewrite them. Only commit the changes if you understand what
// caused them.
var _ = Describe("scenarios", func() {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		panic("no scenarios found")
	}
	for _, file := range files {
		It(strings.TrimSuffix(filepath.Base(file), ".txt"), func(ctx SpecContext) {
			want, err := os.ReadFile(file)
			Expect(err).NotTo(HaveOccurred())
			got := runScenario(ctx, string(want))
			if *update {
				Expect(os.WriteFile(file, []byte(got), 0o644)).To(Succeed())
				return
			}
			Expect(strings.Split(got, "\n")).To(Equal(strings.Split(string(want), "\n")))
		})
	}
})

// runScenario returns the scenario with its present outputs.
func runScenario(ctx context.Context, text string) string {
	GinkgoHelper()
	s := &scenario{began: clock.Now(), reports: map[string]workv1alpha2.AggregatedStatusItem{}}
	var out bytes.Buffer
	for step := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		input, _, ran := strings.Cut(step, "\n----")
		if out.Len() > 0 {
			out.WriteString("\n")
		}
		fmt.Fprintln(&out, input)
		if !ran {
			continue // a comment of its own
		}
		lines := slices.DeleteFunc(strings.Split(input, "\n"), func(l string) bool { return strings.HasPrefix(l, "#") })
		s.run(ctx, lines[0], strings.Join(lines[1:], "\n"))
		fmt.Fprintf(&out, "----\n%s\n", s.outcome(ctx))
	}
	return out.String()
}

// kind is that of the bindings.
type kind = *workv1alpha2.ResourceBinding

type scenario struct {
	controllers []reconcile.ObjectReconciler[kind]
	began       time.Time
	members     []string
	object      *unstructured.Unstructured
	binding     *workv1alpha2.ResourceBinding
	// reports are the last reports of the members, by cluster.
	reports    map[string]workv1alpha2.AggregatedStatusItem
	eventCount int
	wait       time.Duration
	history    bool
}

// long returns the name of a cluster on the API server, which other specs use too.
func long(short string) string { return space + "-" + short }

// short shortens all names of clusters in a text.
func short(text string) string { return strings.ReplaceAll(text, space+"-", "") }

func (s *scenario) run(ctx context.Context, command, below string) {
	GinkgoHelper()
	verb, rest, _ := strings.Cut(command, " ")
	s.history = verb == "history"
	switch verb {
	case "history":
	case "restart":
		s.start()
	case "clusters":
		for _, name := range strings.Fields(rest) {
			s.join(ctx, name)
		}
	case "gadget":
		s.begin(ctx, below)
	case "report":
		name, rest, _ := strings.Cut(rest, " ")
		health, status, _ := strings.Cut(rest, " ")
		item := workv1alpha2.AggregatedStatusItem{ClusterName: long(name), Applied: true, Health: workv1alpha2.ResourceHealth(health)}
		if status != "" {
			item.Status = &runtime.RawExtension{Raw: []byte(status)}
		}
		s.reports[long(name)] = item
	case "gone":
		w := s.works(ctx)[long(rest)]
		Expect(w.DeletionTimestamp).NotTo(BeNil(), "the copy in %s is not asked to go", rest)
		change(ctx, &w, func(w *workv1alpha1.Work) { w.Finalizers = nil })
		delete(s.reports, long(rest))
	case "pass":
		d, err := time.ParseDuration(rest)
		Expect(err).NotTo(HaveOccurred())
		later(d)
	case "mend":
		Expect(hub.Get(ctx, client.ObjectKeyFromObject(s.object), s.object)).To(Succeed())
		Expect(unstructured.SetNestedField(s.object.Object, "mended", "spec", "resumeFrom")).To(Succeed())
		Expect(hub.Update(ctx, s.object)).To(Succeed())
		change(ctx, s.binding, func(b *workv1alpha2.ResourceBinding) { b.Spec.Resource.ResourceVersion = s.object.GetResourceVersion() })
	case "unjoin":
		change(ctx, s.binding, func(b *workv1alpha2.ResourceBinding) {
			Expect(binding.Release(b, long(rest))).To(Succeed())
		})
		if w, there := s.works(ctx)[long(rest)]; there {
			Expect(client.IgnoreNotFound(hub.Delete(ctx, &w))).To(Succeed())
			change(ctx, &w, func(w *workv1alpha1.Work) { w.Finalizers = nil })
		}
		Expect(hub.Delete(ctx, &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: long(rest)}})).To(Succeed())
	case "fence":
		change(ctx, &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: long(rest)}}, func(c *clusterv1alpha1.Cluster) {
			c.Spec.Taints = append(c.Spec.Taints, corev1.Taint{Key: binding.FencedTaint, Effect: corev1.TaintEffectNoSchedule})
		})
	case "confirm":
		change(ctx, s.binding, func(b *workv1alpha2.ResourceBinding) {
			for i := range b.Spec.GracefulEvictionTasks {
				if t := &b.Spec.GracefulEvictionTasks[i]; t.FromCluster == long(rest) {
					t.SuppressDeletion = new(bool)
				}
			}
		})
	default:
		Fail("there is no command " + verb)
	}
	s.untilSettled(ctx)
}

func (s *scenario) join(ctx context.Context, name string) {
	GinkgoHelper()
	c := fixture.Cluster(long(name), fixture.GadgetKind)
	status := c.Status
	Expect(hub.Create(ctx, c)).To(Succeed())
	DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(hub.Delete(ctx, c))).To(Succeed()) })
	c.Status = status
	Expect(hub.Status().Update(ctx, c)).To(Succeed())
	Expect(hub.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: names.ExecutionSpace(c.Name)}})).To(Succeed())
	s.members = append(s.members, c.Name)
}

// begin makes the gadget and its binding, which goes to one cluster at a time.
func (s *scenario) begin(ctx context.Context, behavior string) {
	GinkgoHelper()
	s.start()
	s.object = fixture.Gadget(space, "one", map[string]any{"replicas": int64(2)})
	s.binding = bound[*workv1alpha2.ResourceBinding](ctx, s.object, nil)
	change(ctx, s.binding, func(b *workv1alpha2.ResourceBinding) {
		b.Spec.Replicas = 2
		b.Spec.Placement.SpreadConstraints = []policyv1alpha1.SpreadConstraint{{SpreadByField: "cluster", MinGroups: 1, MaxGroups: 1}}
		b.Spec.Failover.Application = &policyv1alpha1.ApplicationFailoverBehavior{}
		Expect(yaml.UnmarshalStrict([]byte(behavior), b.Spec.Failover.Application)).To(Succeed())
	})
}

// start makes the controllers.
func (s *scenario) start() {
	GinkgoHelper()
	seen, err := failovers.New(nil)
	Expect(err).NotTo(HaveOccurred())
	d := base.Deps{Client: cached, Templates: tmpls, Interpreter: rules, Gates: features.New(), Clock: clock, Events: events, Failovers: seen}
	s.controllers = []reconcile.ObjectReconciler[kind]{
		failover.New[kind](d), eviction.New[kind](d, 0), scheduling.New[kind](d, &schedule.Assumptions{}), rendering.New[kind](d),
	}
}

// untilSettled has all controllers look until nothing changes.
func (s *scenario) untilSettled(ctx context.Context) {
	GinkgoHelper()
	if s.binding == nil {
		return
	}
	for range 20 {
		before := s.version(ctx)
		s.reflect(ctx)
		s.reconcile(ctx)
		if s.version(ctx) == before {
			return
		}
	}
	Fail("the controllers do not come to rest")
}

// reconcile has each controller look once.
func (s *scenario) reconcile(ctx context.Context) {
	GinkgoHelper()
	s.wait = 0
	for _, c := range s.controllers {
		fixture.CaughtUp(ctx, hub, cached, &workv1alpha2.ResourceBindingList{}, &workv1alpha1.WorkList{}, &clusterv1alpha1.ClusterList{})
		request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(s.binding)}
		result, err := reconcile.AsReconciler(cached, c).Reconcile(ctx, request)
		if _, blocked := c.(*failover.Controller[kind]); blocked && err != nil {
			continue // why is in an event
		}
		Expect(err).NotTo(HaveOccurred())
		if _, scheduler := c.(*scheduling.Controller[kind]); result.RequeueAfter > 0 && !scheduler {
			s.wait = cmp.Or(min(s.wait, result.RequeueAfter), result.RequeueAfter)
		}
	}
}

// reflect writes the aggregated status, as the status controller does: an item for
// each Work that is not going.
func (s *scenario) reflect(ctx context.Context) {
	GinkgoHelper()
	b := read(ctx, s.binding)
	base := b.DeepCopy()
	b.Status.AggregatedStatus = nil
	works := s.works(ctx)
	for _, cluster := range slices.Sorted(maps.Keys(works)) {
		if works[cluster].DeletionTimestamp != nil {
			continue
		}
		item, reported := s.reports[cluster]
		if !reported {
			item = workv1alpha2.AggregatedStatusItem{ClusterName: cluster, Health: unknown}
		}
		b.Status.AggregatedStatus = append(b.Status.AggregatedStatus, item)
	}
	if !equality.Semantic.DeepEqual(base.Status, b.Status) {
		Expect(hub.Status().Patch(ctx, b, client.MergeFrom(base))).To(Succeed())
	}
}

// works returns the Works of the scenario by cluster.
func (s *scenario) works(ctx context.Context) map[string]workv1alpha1.Work {
	GinkgoHelper()
	all := map[string]workv1alpha1.Work{}
	for _, cluster := range s.members {
		var list workv1alpha1.WorkList
		Expect(hub.List(ctx, &list, client.InNamespace(names.ExecutionSpace(cluster)))).To(Succeed())
		for _, w := range list.Items {
			if w.Annotations[workv1alpha2.NamespaceAnnotation] == "" {
				all[cluster] = w
			}
		}
	}
	return all
}

// version changes with anything that the controllers write.
func (s *scenario) version(ctx context.Context) string {
	GinkgoHelper()
	all := read(ctx, s.binding).ResourceVersion
	works := s.works(ctx)
	for _, cluster := range slices.Sorted(maps.Keys(works)) {
		all += " " + works[cluster].ResourceVersion
	}
	return all
}

// outcome returns the lines below "----" of a step.
func (s *scenario) outcome(ctx context.Context) string {
	GinkgoHelper()
	if s.binding == nil {
		return "ok"
	}
	b := read(ctx, s.binding)
	var lines []string
	printf := func(format string, args ...any) { lines = append(lines, short(fmt.Sprintf(format, args...))) }
	targets := strings.Join(clusters(b), " ")
	if c := meta.FindStatusCondition(b.Status.Conditions, workv1alpha2.Scheduled); c != nil && c.Status != metav1.ConditionTrue {
		targets += " (" + c.Reason + ")"
	}
	printf("on: %s", strings.TrimSpace(targets))
	for _, t := range b.Spec.GracefulEvictionTasks {
		printf("leaving: %s", s.task(&t))
	}
	if c := meta.FindStatusCondition(b.Status.Conditions, workv1alpha2.Rendered); c != nil {
		printf("not rendered: %s: %s", c.Reason, c.Message)
	}
	if c := meta.FindStatusCondition(b.Status.Conditions, workv1alpha2.FailedOver); c != nil {
		printf("waits: %s: %s", c.Reason, strings.ReplaceAll(c.Message, s.began.Format("2006-01-02"), "the day"))
	}
	works := s.works(ctx)
	for _, cluster := range slices.Sorted(maps.Keys(works)) {
		printf("work %s: %s", cluster, copyOf(works[cluster]))
	}
	unhealthy := since(b)
	for _, cluster := range slices.Sorted(maps.Keys(unhealthy)) {
		printf("unhealthy: %s since %s", cluster, s.at(unhealthy[cluster]))
	}
	if s.history {
		for _, r := range binding.History(b) {
			printf("failover: %s", failoverText(&r))
		}
	}
	all := eventsAbout(b)
	for _, e := range all[s.eventCount:] {
		printf("event: %s", e)
	}
	s.eventCount = len(all)
	if s.wait > 0 {
		printf("looked at again in %s", s.wait)
	}
	return strings.Join(lines, "\n")
}

// failoverText returns one record of the history, with how long its phases took.
func failoverText(r *binding.Record) string {
	text := fmt.Sprintf("%s to %s, %s, %s by %s: %s", r.From, strings.Join(r.To, " "), r.PurgeMode, r.Reason, r.Producer, r.Message)
	if r.State != nil {
		text += fmt.Sprintf("; state %v %v", r.State.Labels, r.State.Values)
	}
	for _, phase := range binding.Phases() {
		if took, known := r.Duration(phase); known {
			text += fmt.Sprintf("; %s %s", phase, took)
		}
	}
	if r.IsOpen() {
		return text + "; " + r.Running()
	}
	return text + "; " + string(r.Outcome)
}

// at returns a time as the duration since the start.
func (s *scenario) at(t time.Time) string { return t.Sub(s.began).String() }

func (s *scenario) task(t *workv1alpha2.GracefulEvictionTask) string {
	text := fmt.Sprintf("%s %s", t.FromCluster, t.PurgeMode)
	if t.CreationTimestamp != nil {
		text += " since " + s.at(t.CreationTimestamp.Time)
	}
	if t.SuppressDeletion != nil {
		text += fmt.Sprintf(", kept: %t", *t.SuppressDeletion)
	}
	for _, k := range slices.Sorted(maps.Keys(t.PreservedLabelState)) {
		text += fmt.Sprintf(", label %s=%s", k, t.PreservedLabelState[k])
	}
	for _, k := range slices.Sorted(maps.Keys(t.PreservedState)) {
		text += fmt.Sprintf(", state %s=%s", k, t.PreservedState[k])
	}
	if len(t.ClustersBeforeFailover) > 0 {
		text += ", was on " + strings.Join(t.ClustersBeforeFailover, " ")
	}
	return text
}

// copyOf returns the copy that a Work has, for the output.
func copyOf(w workv1alpha1.Work) string {
	GinkgoHelper()
	if w.DeletionTimestamp != nil {
		return "going"
	}
	var m unstructured.Unstructured
	Expect(json.Unmarshal(w.Spec.Workload.Manifests[0].Raw, &m.Object)).To(Succeed())
	text := "there"
	if job, labelled := m.GetLabels()["job"]; labelled {
		text += ", label job=" + job
	}
	if from, found, _ := unstructured.NestedString(m.Object, "spec", "resumeFrom"); found {
		text += ", resumes from " + from
	}
	return text
}
