// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/dragoman-io/dragoman/api/names"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// TestModel runs random histories of an application in one cluster at a time, with purge
// mode Directly, on the decisions of this package. In each history
//
//   - at most one copy runs, but for those in fenced clusters,
//   - no Work is removed while there is no target,
//   - no Work is removed for a cluster that would refuse the new copy,
//   - a new copy has the state of the last one that was healthy, also if its status has lost
//     that meanwhile, and the state of one that runs does not change,
//   - the decisions come to rest, and
//   - once all is well again the application is healthy, and nothing is left over.
//
// See histories for how many that are.
func TestModel(t *testing.T) {
	histories(t, func(seed uint64) string { return newModel(seed).run(60) })
}

// plainHistories is how many histories each model has where nothing else is said. They are few,
// since all tests run them on each change: make model runs 100,000, and others by its SEED.
const plainHistories = 200

// histories runs the histories of the seeds 1 to plainHistories, or as many as the variable
// MODEL_RUNS says from that of MODEL_SEED on, and fails for the problem of one. Several run at
// once.
func histories(t *testing.T, run func(seed uint64) (problem string)) (runs int) {
	t.Helper()
	runs, first := modelNumber(t, "MODEL_RUNS", plainHistories), modelNumber(t, "MODEL_SEED", 1)
	const workers = 4
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for seed := first + w; seed < first+runs && !t.Failed(); seed += workers {
				if problem := run(uint64(seed)); problem != "" {
					t.Errorf("seed %d: %s", seed, problem)
				}
			}
		})
	}
	group.Wait()
	return runs
}

// modelNumber returns the number in an environment variable.
func modelNumber(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s is %q, which is not a number", variable, text)
	}
	return n
}

// modelCopy is the copy that a member runs.
type modelCopy struct {
	// madeWith is the state that it was created with, progress what it reports.
	// reported is the last progress that was.
	madeWith, progress, reported string
	// seen means that the control plane saw it healthy.
	seen bool
}

// model is a control plane with members.
type model struct {
	random *rand.Rand
	now    time.Time
	b      *workv1alpha2.ResourceBinding
	works  map[string]*workv1alpha1.Work
	copies map[string]*modelCopy
	// cut members cannot be reached, broken ones do not let the application become healthy,
	// wiped ones have lost the state from its status, and those that refuse take no new copy.
	cut, broken, fenced, wiped, refusing map[string]bool
	// stored is the state that the status of the binding has.
	stored            map[string]Report
	members           []string
	brokenTemplate    bool
	version, reported int
	// expected is the state that the next copy must have.
	expected string
	log      []string
	problem  string
}

const modelState = "model.dragoman.io/state"

func newModel(seed uint64) *model {
	m := &model{
		random: rand.New(rand.NewPCG(seed, 1)), now: now, version: 1, members: []string{"a", "b", "c"},
		works: map[string]*workv1alpha1.Work{}, copies: map[string]*modelCopy{},
		cut: map[string]bool{}, broken: map[string]bool{}, fenced: map[string]bool{}, wiped: map[string]bool{}, refusing: map[string]bool{},
		stored: map[string]Report{},
	}
	m.b = fixture.Binding(fixture.Gadget("space", "one", nil)).(*workv1alpha2.ResourceBinding)
	m.b.Spec.Clusters, m.b.Spec.Resource.ResourceVersion = nil, "1"
	m.b.Spec.Failover = &policyv1alpha1.FailoverBehavior{Application: &policyv1alpha1.ApplicationFailoverBehavior{
		PurgeMode: policyv1alpha1.PurgeModeDirectly, DecisionConditions: policyv1alpha1.DecisionConditions{TolerationSeconds: ptr.To[int32](60)},
	}}
	return m
}

func (m *model) fail(format string, args ...any) {
	if m.problem == "" {
		m.problem = fmt.Sprintf(format, args...) + "\n" + strings.Join(m.log, "\n")
	}
}

func (m *model) run(events int) string {
	m.settle("begin")
	for range events {
		m.settle(m.event())
	}
	clear(m.cut)
	clear(m.broken)
	clear(m.fenced)
	clear(m.refusing)
	clear(m.wiped)
	m.brokenTemplate, m.members = false, []string{"a", "b", "c"}
	m.log = append(m.log, "all is well")
	for end := m.now.Add(DefaultBackoff().Forget + time.Hour); m.now.Before(end); m.now = m.now.Add(2 * time.Minute) {
		m.settle("")
	}
	switch targets := m.b.Spec.Clusters; {
	case len(targets) != 1 || len(m.copies) != 1 || m.copies[targets[0].Name] == nil:
		m.fail("the application does not run in one cluster: targets %v, copies %v", targets, slices.Collect(maps.Keys(m.copies)))
	case len(m.b.Spec.GracefulEvictionTasks) > 0 || len(m.b.Annotations[CarriedStateAnnotation])+len(m.b.Annotations[FailedClustersAnnotation]) > 0:
		m.fail("something is left over: %v %v", m.b.Spec.GracefulEvictionTasks, m.b.Annotations)
	}
	return m.problem
}

// event changes something, and returns what.
func (m *model) event() string {
	cluster := m.members[m.random.IntN(len(m.members))]
	toggle := func(set map[string]bool, what string) string {
		set[cluster] = !set[cluster]
		return fmt.Sprintf("%s %s %t", cluster, what, set[cluster])
	}
	switch n := m.random.IntN(22); {
	case n < 6:
		m.now = m.now.Add(time.Duration(1+m.random.IntN(5)) * 20 * time.Second)
		return "pass, " + m.now.Sub(now).String()
	case n < 9:
		return toggle(m.broken, "broken")
	case n < 10:
		return toggle(m.wiped, "wiped")
	case n < 13:
		delete(m.fenced, cluster) // who brings it back, takes that back
		return toggle(m.cut, "cut")
	case n < 15:
		m.version++
		m.brokenTemplate = m.random.IntN(3) == 0
		m.b.Spec.Resource.ResourceVersion = strconv.Itoa(m.version)
		m.b.Generation++
		return fmt.Sprintf("template %d, broken %t", m.version, m.brokenTemplate)
	case n < 16 && m.cut[cluster]:
		m.fenced[cluster] = true
		return "fence " + cluster
	case n < 17 && len(m.members) > 2:
		return m.leave(cluster)
	case n < 18 && len(m.members) < 3:
		m.members = []string{"a", "b", "c"}
		return "all join"
	case n >= 20:
		return toggle(m.refusing, "refusing")
	}
	m.now = m.now.Add(20 * time.Minute)
	return "pass, " + m.now.Sub(now).String()
}

// leave takes a cluster from the control plane. What ran there is gone with it.
func (m *model) leave(cluster string) string {
	if m.isTarget(cluster) {
		pending := slices.ContainsFunc(CarriedStates(m.b), func(c Carried) bool { return c.To == cluster })
		if !pending {
			m.expected = "" // nobody evicted it, so nobody asked for its state
		}
	}
	if err := Release(m.b, cluster); err != nil {
		m.fail("release: %v", err)
	}
	m.b.Generation++
	delete(m.works, cluster)
	delete(m.copies, cluster)
	delete(m.cut, cluster)
	delete(m.fenced, cluster)
	m.members = without(m.members, cluster)
	return "leave " + cluster
}

func (m *model) isTarget(cluster string) bool { return isTarget(&m.b.Spec, cluster) }

// settle has all controllers look until nothing changes.
func (m *model) settle(what string) {
	if what != "" {
		m.log = append(m.log, what)
	}
	m.rest(m.member, m.failover, m.assess, m.schedule, m.render)
}

// decisions are what the controllers have decided.
type decisions struct {
	clusters             []workv1alpha2.TargetCluster
	tasks                []workv1alpha2.GracefulEvictionTask
	annotations          map[string]string
	generation, observed int64
	works                map[string]workDecision
	copies               map[string]bool
}

type workDecision struct {
	deleted bool
	state   string
}

func (m *model) decisions() decisions {
	d := decisions{
		clusters: slices.Clone(m.b.Spec.Clusters), tasks: slices.Clone(m.b.Spec.GracefulEvictionTasks), annotations: maps.Clone(m.b.Annotations),
		generation: m.b.Generation, observed: m.b.Status.SchedulerObservedGeneration,
		works: map[string]workDecision{}, copies: map[string]bool{},
	}
	for cluster, w := range m.works {
		d.works[cluster] = workDecision{w.DeletionTimestamp != nil, w.Annotations[modelState]}
	}
	for cluster := range m.copies {
		d.copies[cluster] = true
	}
	return d
}

// rest calls what all controllers do until nothing changes.
func (m *model) rest(controllers ...func()) {
	for range 30 {
		before := m.decisions()
		for _, look := range controllers {
			look()
		}
		if reflect.DeepEqual(before, m.decisions()) {
			return
		}
	}
	m.fail("the decisions do not come to rest")
}

// member does what Works ask for where that can be reached, and reports.
func (m *model) member() {
	m.b.Status.AggregatedStatus = nil
	for _, cluster := range slices.Sorted(maps.Keys(m.works)) {
		w := m.works[cluster]
		switch {
		case m.cut[cluster]:
		case w.DeletionTimestamp != nil:
			delete(m.works, cluster)
			delete(m.copies, cluster)
			continue
		case m.copies[cluster] == nil:
			c := &modelCopy{madeWith: w.Annotations[modelState]}
			m.copies[cluster] = c
			if c.madeWith != m.expected {
				m.fail("the new copy in %s has state %q, want %q", cluster, c.madeWith, m.expected)
			}
		}
		if w.DeletionTimestamp == nil {
			m.b.Status.AggregatedStatus = append(m.b.Status.AggregatedStatus, m.report(cluster))
		}
	}
	m.keep()
	running := slices.DeleteFunc(slices.Sorted(maps.Keys(m.copies)), func(cluster string) bool { return m.fenced[cluster] })
	if len(running) > 1 {
		m.fail("copies run in %v", running)
	}
}

// modelRules name the state.
var modelRules = &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{{AliasLabelName: "job", JSONPath: "{.job}"}}}

// keep writes what the copies report over what they reported before.
func (m *model) keep() {
	var reported, written []Report
	now := map[string]Report{}
	for _, item := range m.b.Status.AggregatedStatus {
		r := NewReport(item.ClusterName, isHealthy(&item), nil)
		if c := m.copies[item.ClusterName]; c != nil && !m.wiped[item.ClusterName] {
			r.Add(modelRules, map[string]string{"job": c.progress})
			// What a copy reports before it has taken over a state does not count.
			if _, pending := PendingState(m.b, item.ClusterName); !m.cut[item.ClusterName] && (!pending || r.Healthy) {
				c.reported = c.progress
			}
		}
		if m.cut[item.ClusterName] {
			r = m.stored[item.ClusterName] // from before
		}
		now[item.ClusterName] = r
	}
	for _, cluster := range slices.Concat(TargetNames(&m.b.Spec), slices.Sorted(maps.Keys(Evicting(&m.b.Spec)))) {
		if _, pending := PendingState(m.b, cluster); !pending {
			last, r := m.stored[cluster], now[cluster]
			last.Cluster, r.Cluster = cluster, cluster
			reported, written = append(reported, last, r), append(written, r)
		}
	}
	m.stored = now
	has := func(cluster string) bool {
		_, there := now[cluster]
		return there || m.isTarget(cluster) || Evicting(&m.b.Spec)[cluster]
	}
	if _, err := SetKeptStates(m.b, Keep(KeptStates(m.b), reported, written, has, m.now)); err != nil {
		m.fail("keep: %v", err)
	}
}

func (m *model) report(cluster string) workv1alpha2.AggregatedStatusItem {
	item := workv1alpha2.AggregatedStatusItem{ClusterName: cluster, Health: unknown}
	c := m.copies[cluster]
	switch {
	case m.cut[cluster] || c == nil:
	case m.broken[cluster] || m.brokenTemplate:
		item.Applied, item.Health = true, unhealthy
		if c.progress == "" {
			m.reported++
			c.progress = fmt.Sprintf("%d-never-healthy", m.reported)
		}
	default:
		item.Applied, item.Health = true, healthy
		if !c.seen {
			m.reported++
			c.progress = strconv.Itoa(m.reported)
		}
		c.seen = true
	}
	return item
}

func (m *model) failover() {
	d := FindUnhealthy(&m.b.Spec, m.b.Status.AggregatedStatus, UnhealthySince(m.b), ProgressSeen(m.b), m.now)
	failures := Backoff{}.FailuresNow(m.b, m.now)
	for _, cluster := range d.Evict {
		c := m.copies[cluster]
		state, pending := PendingState(m.b, cluster)
		switch {
		case pending && c.seen:
			m.fail("the copy in %s was healthy, and its state is not its own", cluster)
		case !pending && c.madeWith != "" && !c.seen:
			m.fail("the copy in %s was never healthy, and hides the state that it was made with", cluster)
		case !pending:
			r := m.stored[cluster]
			r.Cluster = cluster
			state = NewestState(m.b, modelRules, r)
			m.expected = cmp.Or(c.reported, c.madeWith)
		}
		if err := Evict(m.b, Eviction{
			Cluster: cluster, Reason: workv1alpha2.EvictionReasonApplicationFailure, PurgeMode: policyv1alpha1.PurgeModeDirectly,
			State: state, Before: TargetNames(&m.b.Spec), Time: m.now,
		}); err != nil {
			m.fail("evict: %v", err)
		}
		m.b.Generation++
		failures[cluster] = Failure{Time: metav1.NewTime(m.now), Tries: failures[cluster].Tries + 1, Template: m.b.Spec.Resource.ResourceVersion}
		delete(d.Since, cluster)
		m.log = append(m.log, "  evict "+cluster)
	}
	if err := SetUnhealthySince(m.b, d.Since, d.Seen); err != nil {
		m.fail("%v", err)
	}
	if err := SetFailures(m.b, failures); err != nil {
		m.fail("%v", err)
	}
}

func (m *model) assess() {
	clusters, tasks := len(m.b.Spec.Clusters), len(m.b.Spec.GracefulEvictionTasks)
	if _, err := Assess(m.b, 0, m.now).Apply(m.b); err != nil {
		m.fail("assess: %v", err)
	}
	if clusters != len(m.b.Spec.Clusters) || tasks != len(m.b.Spec.GracefulEvictionTasks) {
		m.b.Generation++
	}
}

// schedule chooses the first cluster that can be reached and is not excluded.
func (m *model) schedule() {
	e := Excluded(m.b, m.now)
	for _, excluded := range []map[string]bool{e.Strict(), e.Clusters} {
		for _, cluster := range m.members {
			if len(m.b.Spec.Clusters) == 0 && !excluded[cluster] && !m.cut[cluster] {
				m.b.Spec.Clusters = fixture.Targets(cluster)
				m.b.Generation++
				m.log = append(m.log, "  to "+cluster)
			}
		}
	}
	if len(m.b.Spec.Clusters) > 0 {
		m.b.Status.SchedulerObservedGeneration = m.b.Generation
	}
}

func (m *model) render() {
	works := make([]workv1alpha1.Work, 0, len(m.works))
	for _, cluster := range slices.Sorted(maps.Keys(m.works)) {
		works = append(works, *m.works[cluster])
	}
	reverted, err := Revert(m.b, works)
	if err != nil {
		m.fail("revert: %v", err)
	}
	if len(reverted) > 0 {
		m.log = append(m.log, "  revert "+strings.Join(reverted, " "))
		m.b.Generation++
	}
	p := PlanWorks(m.b, works, func(cluster string) bool { return m.fenced[cluster] })
	if len(p.Remove) > 0 && len(m.b.Spec.Clusters) == 0 {
		m.fail("a Work goes while there is no target")
	}
	for _, w := range append(p.Remove, m.replaced(p)...) {
		m.works[ClusterOf(w)].DeletionTimestamp = &metav1.Time{Time: m.now}
	}
	for _, target := range p.Render {
		w := m.works[target.Name]
		if w == nil {
			w = &workv1alpha1.Work{ObjectMeta: metav1.ObjectMeta{Namespace: names.ExecutionSpace(target.Name), Name: "one"}}
			m.works[target.Name] = w
		}
		if w.DeletionTimestamp == nil {
			m.manifest(w, target.Name)
		}
	}
}

// replaced returns the Works that go since the targets would take the new copies.
func (m *model) replaced(p Plan) []*workv1alpha1.Work {
	for _, cluster := range p.Waiting {
		switch {
		case len(p.Replace) == 0:
		case m.cut[cluster]:
			return nil // it cannot be asked
		case m.refusing[cluster]:
			m.log = append(m.log, "  "+cluster+" refuses")
			if err := (Backoff{}).Refuse(m.b, Refusal{Cluster: cluster, Why: "no", Time: m.now, Stays: func(cluster string) bool {
				w := m.works[cluster]
				return w != nil && w.DeletionTimestamp == nil
			}}); err != nil {
				m.fail("refuse: %v", err)
			}
			m.b.Generation++
			return nil
		}
	}
	return p.Replace
}

// manifest writes what a Work has.
func (m *model) manifest(w *workv1alpha1.Work, cluster string) {
	before, state := w.Annotations[modelState], StateFor(m.b, cluster, "").Labels["job"]
	if c := m.copies[cluster]; c != nil && before != state && !c.seen {
		m.fail("the copy in %s was made with state %q, has never been healthy, and gets %q", cluster, before, state)
	}
	w.Annotations = map[string]string{modelState: state}
}
