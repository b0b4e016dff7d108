// SPDX-License-Identifier: Apache-2.0

package placementrule

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/engine"
)

// MaxSize is how many bytes the programs of all rules may keep in memory. A rule that does not
// fit is not active.
const MaxSize = 32 << 20

// maxReason is how many bytes of a reason are kept.
const maxReason = 256

// Rules are the PlacementRules of a control plane, compiled. They are safe for many goroutines.
type Rules struct {
	compiler *engine.Compiler
	metrics  *metrics

	mu  sync.Mutex
	all map[types.UID]*compiled
	// clusters are the clusters as expressions see them, by name.
	clusters map[string]view
	// failed is called with the name of a rule whose generation failed for the first time; nil
	// is nobody.
	failed func(rule string)
}

// compiled is one rule.
type compiled struct {
	name string
	// generation is that of the last compilation, and errs what was wrong with it.
	generation int64
	errs       []error
	// rule is the one that decides: of this generation or of the last one that compiled. Nil if
	// there is none.
	rule *engine.PlacementRule
	// failure is the first error of a run of this rule, and about is what it was about.
	failure error
	about   string
}

// view is a cluster as expressions see it.
type view struct {
	uid     types.UID
	version string
	object  map[string]any
}

// New returns rules without any.
func New(c *engine.Compiler) *Rules {
	return &Rules{compiler: c, metrics: newMetrics(), all: map[types.UID]*compiled{}, clusters: map[string]view{}}
}

// Begin begins a decision about a binding at a time, by the rules that the control plane has. The
// rules that are not compiled yet are compiled. It returns nil if none is for the binding. What
// it returns is not safe for many goroutines.
func (r *Rules) Begin(all []*interpreterv1alpha1.PlacementRule, b workv1alpha2.Binding, now time.Time) (placement.Rules, error) {
	ref := b.GetSpec().Resource
	var selected []*interpreterv1alpha1.PlacementRule
	for _, cr := range all {
		if cr.DeletionTimestamp == nil && cr.Spec.Selects(ref.APIVersion, ref.Kind, ref.Namespace) {
			selected = append(selected, cr)
		}
	}
	if len(selected) == 0 {
		return nil, nil
	}
	slices.SortFunc(selected, func(a, b *interpreterv1alpha1.PlacementRule) int { return cmp.Compare(a.Name, b.Name) })
	d := &decision{rules: r, about: b.GetNamespace() + "/" + b.GetName(), verdicts: map[string]verdict{}}
	object, err := bindingView(b)
	if err != nil {
		return nil, err
	}
	for _, cr := range selected {
		if c := r.compile(cr); c.rule != nil {
			d.steps = append(d.steps, step{cr.UID, c.rule.Placement(object, now)})
		}
	}
	return d, nil
}

// compile compiles the generation of a rule, if it was not, and returns what there is of it.
func (r *Rules) compile(cr *interpreterv1alpha1.PlacementRule) compiled {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.all[cr.UID]
	if c == nil {
		c = &compiled{name: cr.Name}
		r.all[cr.UID] = c
	}
	if c.generation == cr.Generation {
		return *c
	}
	rule, errs := r.compiler.PlacementRule(cr)
	if rule != nil {
		if size := rule.Size() + r.size(cr.UID); size > MaxSize {
			rule, errs = nil, []error{fmt.Errorf("the programs of all rules would keep %d bytes in memory; at most %d are allowed", size, MaxSize)}
		}
	}
	c.generation, c.errs = cr.Generation, errs
	if len(errs) > 0 {
		r.metrics.count(c.name, errs[0])
	}
	if rule != nil {
		c.rule, c.failure, c.about = rule, nil, ""
	}
	return *c
}

// size returns what the rules but one keep in memory.
func (r *Rules) size(but types.UID) (size int64) {
	for uid, c := range r.all {
		if uid != but && c.rule != nil {
			size += c.rule.Size()
		}
	}
	return size
}

// ForgetCluster drops what is known of a cluster that is gone.
func (r *Rules) ForgetCluster(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.clusters, name)
}

// onFailure has f be called with the name of a rule whose generation failed for the first time.
func (r *Rules) onFailure(f func(rule string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = f
}

// note records the failure of a run; one of a rule that was replaced since does not count.
func (r *Rules) note(uid types.UID, rule *engine.PlacementRule, about string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.all[uid]
	if c == nil || c.rule != rule {
		return
	}
	r.metrics.count(c.name, err)
	if c.failure != nil {
		return
	}
	c.failure, c.about = err, about
	if r.failed != nil {
		r.failed(rule.Name())
	}
}

// cluster returns a cluster as expressions see it: without managedFields, and without the APIs
// that it serves, which are filtered by before. It must not be changed.
func (r *Rules) cluster(c *clusterv1alpha1.Cluster) (map[string]any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.clusters[c.Name]; ok && known.uid == c.UID && known.version == c.ResourceVersion && c.ResourceVersion != "" {
		return known.object, nil
	}
	seen := *c
	seen.ManagedFields, seen.Status.APIEnablements = nil, nil
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&seen)
	if err != nil {
		return nil, fmt.Errorf("read cluster %s: %w", c.Name, err)
	}
	r.clusters[c.Name] = view{c.UID, c.ResourceVersion, object}
	return object, nil
}

// bindingView returns a binding as expressions see it: without managedFields and status.
func bindingView(b workv1alpha2.Binding) (map[string]any, error) {
	var seen any
	switch b := b.(type) {
	case *workv1alpha2.ResourceBinding:
		seen = &workv1alpha2.ResourceBinding{TypeMeta: b.TypeMeta, ObjectMeta: b.ObjectMeta, Spec: b.Spec}
	case *workv1alpha2.ClusterResourceBinding:
		seen = &workv1alpha2.ClusterResourceBinding{TypeMeta: b.TypeMeta, ObjectMeta: b.ObjectMeta, Spec: b.Spec}
	default:
		return nil, fmt.Errorf("a %T is no binding", b)
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(seen)
	if err != nil {
		return nil, fmt.Errorf("read binding %s: %w", b.GetName(), err)
	}
	metadata, _ := object["metadata"].(map[string]any)
	delete(metadata, "managedFields")
	delete(object, "status")
	return object, nil
}

// decision is what the rules say about the clusters of one binding. A cluster is looked at once.
type decision struct {
	rules    *Rules
	about    string
	steps    []step
	verdicts map[string]verdict
}

// step is one rule of a decision.
type step struct {
	uid types.UID
	*engine.Placement
}

// verdict is what the rules say about a cluster.
type verdict struct {
	reason string
	score  int64
	scored bool
}

// Reject returns why a cluster may not get the workload; see placement.Rules. A rule that fails
// lets no cluster pass.
func (d *decision) Reject(c *clusterv1alpha1.Cluster) string {
	v, ok := d.verdicts[c.Name]
	if !ok {
		v.reason = d.reject(c)
		d.verdicts[c.Name] = v
	}
	return v.reason
}

func (d *decision) reject(c *clusterv1alpha1.Cluster) string {
	object, err := d.rules.cluster(c)
	if err != nil {
		return "cluster(s) were not understood by the placement rules"
	}
	for _, s := range d.steps {
		passes, reason, err := s.Filter(object)
		name := s.Rule().Name()
		switch {
		case err != nil:
			d.note(s, c, err)
			return clip("cluster(s) were not judged by PlacementRule " + name + ", which failed: " + cause(err))
		case !passes && reason != "":
			return clip("cluster(s) did not pass PlacementRule " + name + ": " + reason)
		case !passes:
			return clip("cluster(s) did not pass PlacementRule " + name)
		}
	}
	return ""
}

// Score returns how well a cluster suits; see placement.Rules. A rule that fails gives 0.
func (d *decision) Score(c *clusterv1alpha1.Cluster) int64 {
	v := d.verdicts[c.Name]
	if v.scored {
		return v.score
	}
	object, err := d.rules.cluster(c)
	for i := 0; err == nil && i < len(d.steps); i++ {
		score, err := d.steps[i].Score(object)
		if err != nil {
			d.note(d.steps[i], c, err)
		}
		v.score += score
	}
	v.scored = true
	d.verdicts[c.Name] = v
	return v.score
}

func (d *decision) note(s step, c *clusterv1alpha1.Cluster, err error) {
	d.rules.note(s.uid, s.Rule(), "cluster "+c.Name+" and binding "+d.about, err)
}

// cause returns the message of what went wrong in a run, without the name of the rule.
func cause(err error) string {
	if inner := errors.Unwrap(err); inner != nil {
		return inner.Error()
	}
	return err.Error()
}

// clip returns the beginning of a reason that is too long to be kept.
func clip(reason string) string {
	if len(reason) <= maxReason {
		return reason
	}
	cut := maxReason - len("…")
	for cut > 0 && reason[cut]&0xC0 == 0x80 { // in the midst of a character
		cut--
	}
	return reason[:cut] + "…"
}
