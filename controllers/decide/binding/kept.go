// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// KeptStateAnnotation holds the state that copies reported once and do not report any
// more: a JSON list of Kept, sorted by cluster. What a copy reports now is in the status
// of the binding and is newer. Together they are the newest state of each copy, whatever
// became of its status since.
const KeptStateAnnotation = "failover.dragoman.io/kept-state"

// The bounds of the annotation, in bytes of JSON. All annotations of an object together
// may have 256 KiB.
const (
	maxKeptOfCluster = 16 << 10
	maxKept          = 96 << 10
)

// Kept is the newest state of the copy in a cluster that its status does not have any more.
type Kept struct {
	Cluster string `json:"cluster"`
	// Labels are sorted by key and path.
	Labels []KeptLabel `json:"labels,omitempty"`
	// Values are what the script of the kind named, all by one report.
	Values map[string]string `json:"values,omitempty"`
	// Time is until when the values were reported.
	Time *metav1.Time `json:"time,omitempty"`
}

// KeptLabel is a label that a rule of a policy named.
type KeptLabel struct {
	Key string `json:"key"`
	// Path is the JSONPath of the rule; empty is that of any rule with this key.
	Path  string `json:"path,omitempty"`
	Value string `json:"value"`
	// Time is until when it was reported.
	Time metav1.Time `json:"time"`
}

// Report is the state that a copy reports.
type Report struct {
	Cluster string
	// Labels are those that a rule names and that are not empty. Their Time is not set.
	Labels []KeptLabel
	// Values are what the script names; empty ones are not among them.
	Values map[string]string
	// Healthy means that the copy was healthy when it reported that.
	Healthy bool
}

// NewReport returns the report of a copy. The labels are those that the rules of each
// policy name, as ExtractState returns them.
func NewReport(cluster string, healthy bool, values map[string]string) Report {
	values = maps.Clone(values)
	maps.DeleteFunc(values, func(_, value string) bool { return value == "" })
	return Report{Cluster: cluster, Healthy: healthy, Values: values}
}

// Add adds the labels that rules name. Empty ones are left out: a status that is being
// written again has empty fields for a while.
func (r *Report) Add(rules *policyv1alpha1.StatePreservation, labels map[string]string) {
	if rules == nil {
		return
	}
	for _, rule := range rules.Rules {
		if value := labels[rule.AliasLabelName]; value != "" {
			r.Labels = withLabel(r.Labels, KeptLabel{Key: rule.AliasLabelName, Path: rule.JSONPath, Value: value})
		}
	}
}

// KeptStates reads the annotation; one that cannot be parsed counts as none.
func KeptStates(b workv1alpha2.Binding) []Kept {
	var all []Kept
	if err := note(KeptStateAnnotation).read(b, &all); err != nil {
		return nil
	}
	return all
}

// SetKeptStates writes the annotation, or removes it where nothing is kept. It leaves out
// what is larger than its bounds: the state of a cluster as a whole, and then that of the
// clusters with most. It returns the clusters that it left out, sorted.
func SetKeptStates(b workv1alpha2.Binding, all []Kept) (left []string, err error) {
	all, left, err = boundKept(all)
	if err != nil {
		return nil, err
	}
	if err := note(KeptStateAnnotation).write(b, all, len(all) == 0); err != nil {
		return nil, err
	}
	return left, nil
}

// boundKept returns what fits the bounds, and the clusters of the rest.
func boundKept(all []Kept) (fits []Kept, left []string, err error) {
	sizes, total := map[string]int{}, 0
	for i := range all {
		raw, err := json.Marshal(&all[i])
		if err != nil {
			return nil, nil, fmt.Errorf("write the state of cluster %s: %w", all[i].Cluster, err)
		}
		sizes[all[i].Cluster] = len(raw)
		total += len(raw) + 1
	}
	bySize := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
	for _, cluster := range bySize {
		if sizes[cluster] <= maxKeptOfCluster && total <= maxKept {
			break
		}
		total -= sizes[cluster] + 1
		left = append(left, cluster)
	}
	slices.Sort(left)
	fits = slices.DeleteFunc(slices.Clone(all), func(k Kept) bool { return slices.Contains(left, k.Cluster) })
	return fits, left, nil
}

// Keep returns what must be kept when the status of a binding is written over. Reported is
// what was reported, in order, and written what the copies report in what is written.
// Has reports whether there is a copy in a cluster; state of others is dropped.
//
// What is written is newer than what is kept, so nothing has to be kept while the copies
// report it: what is kept changes only if, together with what is written, it would not be
// the newest state any more. The values of a script belong together: those of a healthy
// copy replace the ones before as a whole, and those of another only if none is missing.
func Keep(all []Kept, reported, written []Report, has func(cluster string) bool, now time.Time) []Kept {
	kept, newest := map[string]Kept{}, map[string]Kept{}
	for _, k := range all {
		if has(k.Cluster) {
			kept[k.Cluster], newest[k.Cluster] = k, k
		}
	}
	for i := range reported {
		if r := &reported[i]; has(r.Cluster) {
			newest[r.Cluster] = newest[r.Cluster].with(r, now)
		}
	}
	answers := map[string]*Report{}
	for i := range written {
		answers[written[i].Cluster] = &written[i]
	}
	var next []Kept
	for _, cluster := range slices.Sorted(maps.Keys(newest)) {
		if k := newest[cluster].beside(answers[cluster], kept[cluster], now); !k.isEmpty() {
			next = append(next, k)
		}
	}
	return next
}

// beside returns what must be kept of the newest state beside what is written; nil is
// nothing. That is what was kept before, if it is enough.
func (k Kept) beside(written *Report, before Kept, now time.Time) Kept {
	if written == nil {
		return k
	}
	all := k.with(written, now)
	if before.with(written, now).equal(all) {
		return before
	}
	if less := before.over(k.without(written)); less.with(written, now).equal(all) {
		return less
	}
	return k
}

// equal reports whether two have the same state, whenever it was reported.
func (k Kept) equal(other Kept) bool {
	return maps.Equal(k.Values, other.Values) && slices.EqualFunc(k.Labels, other.Labels, func(a, b KeptLabel) bool {
		return a.Key == b.Key && a.Path == b.Path && a.Value == b.Value
	})
}

// IsNews reports whether a copy reports state that is neither kept nor in its last report.
func IsNews(all []Kept, last, r Report) bool {
	var k Kept
	if i := slices.IndexFunc(all, func(k Kept) bool { return k.Cluster == r.Cluster }); i >= 0 {
		k = all[i]
	}
	known := k.with(&last, time.Time{})
	return !known.with(&r, time.Time{}).equal(known)
}

// Oversized returns the clusters whose reports are larger than what is kept of a cluster,
// sorted.
func Oversized(reports []Report) []string {
	var all []string
	for i := range reports {
		k := Kept{}.with(&reports[i], time.Time{})
		if raw, err := json.Marshal(k); err == nil && len(raw) > maxKeptOfCluster {
			all = append(all, k.Cluster)
		}
	}
	slices.Sort(all)
	return all
}

func (k Kept) isEmpty() bool { return len(k.Labels) == 0 && len(k.Values) == 0 }

// with returns what is kept, replaced by a newer report. What did not change keeps its
// time.
func (k Kept) with(r *Report, now time.Time) Kept {
	k.Cluster = r.Cluster
	for _, l := range r.Labels {
		l.Time = metav1.NewTime(now)
		k.Labels = withLabel(k.Labels, l)
	}
	if r.replaces(k.Values) && !maps.Equal(r.Values, k.Values) {
		k.Values, k.Time = r.Values, &metav1.Time{Time: now}
	}
	return k
}

// replaces reports whether the values of a report are as good as those before.
func (r *Report) replaces(values map[string]string) bool {
	if len(r.Values) == 0 {
		return false
	}
	for key := range values {
		if r.Values[key] == "" && !r.Healthy {
			return false
		}
	}
	return true
}

// Covers reports whether a report that is newer than another replaces all state in it.
func (r *Report) Covers(older *Report) bool {
	return Kept{Labels: older.Labels, Values: older.Values}.without(r).isEmpty()
}

// without returns what a report does not have; nil has nothing.
func (k Kept) without(r *Report) Kept {
	if r == nil {
		return k
	}
	k.Labels = slices.DeleteFunc(slices.Clone(k.Labels), func(l KeptLabel) bool {
		return slices.ContainsFunc(r.Labels, func(reported KeptLabel) bool { return reported.isFor(&l) })
	})
	if r.replaces(k.Values) {
		k.Values, k.Time = nil, nil
	}
	return k
}

// over returns what is kept, with what is in another.
func (k Kept) over(lost Kept) Kept {
	k.Cluster = lost.Cluster
	for _, l := range lost.Labels {
		k.Labels = withLabel(k.Labels, l)
	}
	if len(lost.Values) > 0 {
		k.Values, k.Time = lost.Values, lost.Time
	}
	return k
}

// isFor reports whether a label is the one of the same rule.
func (l *KeptLabel) isFor(other *KeptLabel) bool {
	return l.Key == other.Key && (l.Path == other.Path || l.Path == "" || other.Path == "")
}

// withLabel returns labels with one that replaces that of its rule, unless that has the
// same value.
func withLabel(labels []KeptLabel, l KeptLabel) []KeptLabel {
	all := make([]KeptLabel, 0, len(labels)+1)
	for _, was := range labels {
		if !l.isFor(&was) {
			all = append(all, was)
			continue
		}
		if was.Value == l.Value && !was.Time.IsZero() {
			l.Time = was.Time
		}
	}
	all = append(all, l)
	slices.SortFunc(all, func(a, b KeptLabel) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Path, b.Path))
	})
	return all
}

// NewestState returns the newest state of the copy that reports: for each rule what it
// reports, or else what is kept of it, and the values of the script alike.
func NewestState(b workv1alpha2.Binding, rules *policyv1alpha1.StatePreservation, r Report) State {
	all := KeptStates(b)
	var k Kept
	if i := slices.IndexFunc(all, func(k Kept) bool { return k.Cluster == r.Cluster }); i >= 0 {
		k = all[i]
	}
	k = k.with(&r, time.Time{})
	s := State{Values: k.Values}
	if rules == nil {
		return s
	}
	for _, rule := range rules.Rules {
		of := KeptLabel{Key: rule.AliasLabelName, Path: rule.JSONPath}
		if i := slices.IndexFunc(k.Labels, func(l KeptLabel) bool { return l.isFor(&of) }); i >= 0 {
			if s.Labels == nil {
				s.Labels = map[string]string{}
			}
			s.Labels[rule.AliasLabelName] = k.Labels[i].Value
		}
	}
	return s
}

// takeOver returns what is kept once a copy has taken over a state: that is the newest one
// until the copy reports its own. What an earlier copy there left is older.
func takeOver(all []Kept, c *Carried) []Kept {
	k := Kept{Cluster: c.To, Values: c.Values}
	if len(c.Values) > 0 {
		k.Time = &c.Time
	}
	for key, value := range c.Labels {
		k.Labels = withLabel(k.Labels, KeptLabel{Key: key, Value: value, Time: c.Time})
	}
	all = slices.DeleteFunc(slices.Clone(all), func(was Kept) bool { return was.Cluster == c.To })
	all = append(all, k)
	slices.SortFunc(all, func(a, b Kept) int { return cmp.Compare(a.Cluster, b.Cluster) })
	return all
}

// WantsState reports whether the state of a binding's copies must survive a failover.
func WantsState(b workv1alpha2.Binding) bool {
	f := b.GetSpec().Failover
	return f != nil && (f.Application != nil || f.Cluster != nil)
}
