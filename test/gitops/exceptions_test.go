// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"cmp"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// finding is a comparison that is not as it should be: want by what the library says of the members, got of the
// template.
type finding struct {
	kind, library, way, want, got string
}

func (f finding) String() string {
	return strings.Join([]string{f.kind, f.library, f.way, "want " + f.want, "got " + f.got}, ", ")
}

// exception excuses findings. Each field is a pattern as path.Match takes it; an empty one matches all.
type exception struct {
	kind, library, way, want, got string
	// inGo says that a rule of Argo CD in Go is needed to see it, which only its program has.
	inGo bool
	// inPublished says that it is seen with the published samples only.
	inPublished bool
	// reason is why nothing is to be mended, or what would mend it.
	reason string
}

// The reasons that several exceptions have.
const (
	ownServer = "the control plane's API server and its controllers write the status of their own object, and Dragoman none"
	noScripts = "the generic rules write no status: the controller of an unknown kind may run in the control plane, and would write another"
	published = "conditions are listed as Karmada publishes them: one that is True may stand before one that is not, and what a cluster has not reported is not shown; observedGeneration tells kstatus of the latter"
	sums      = "the published counts are sums: two whole copies are more pods than one template asks for, and two halves of them are as many as it asks for"
	oneJob    = "the program runs in one cluster: the status is that of the last one that reports, or whose state counts first"
	addresses = "the status lists the addresses of all clusters, as Karmada has it, and has no place for one that is missing"
	pods      = "kstatus calls a pod that has failed Current, and all the more several of which one has"
	volumes   = "the phase is that of the clusters that report one, as Karmada has it"
	crons     = "the status has the latest times of all clusters, as Karmada has it: a success in one hides a failure in another"
)

// exceptions are what is known not to be as it should be.
var exceptions = []exception{
	{kind: "generic/*", reason: noScripts},
	{kind: "kubernetes/CustomResourceDefinition", reason: ownServer},
	{kind: "kubernetes/APIService", inGo: true, reason: ownServer},

	{kind: "kubernetes/Deployment", library: "kstatus", way: duplicated, want: "Current", got: "InProgress", reason: sums},
	{kind: "kubernetes/Deployment", library: "Argo CD", way: duplicated, want: "Progressing", got: "Healthy", inGo: true, reason: sums},
	{kind: "kubernetes/ReplicaSet", library: "kstatus", way: duplicated, want: "Current", got: "InProgress", reason: sums},
	{kind: "kubernetes/ReplicaSet", library: "kstatus", way: duplicated, want: "InProgress", got: "Current", reason: sums},
	{kind: "kubernetes/ReplicaSet", library: "Argo CD", way: duplicated, want: "Progressing", got: "Healthy", inGo: true, reason: sums},
	{kind: "kubernetes/StatefulSet", library: "kstatus", way: duplicated, want: "Current", got: "InProgress", reason: sums},
	{kind: "kubernetes/StatefulSet", library: "kstatus", way: duplicated, want: "InProgress", got: "Current", reason: sums},
	{kind: "kubernetes/StatefulSet", library: "Argo CD", way: duplicated, want: "Progressing", got: "Healthy", inGo: true, reason: sums},

	{kind: "flux/*", library: "kstatus", want: "Current", got: "InProgress", reason: "observedGeneration is 0 where no member reports one, as Karmada has it; each controller of Flux reports it"},
	{kind: "flux/*", library: "kstatus", way: different, want: "InProgress", got: "Current", reason: published},
	{kind: "flux/*", library: "Argo CD", way: different, got: "Healthy", reason: published},
	{kind: "kyverno/Policy", library: "Argo CD", want: "Healthy", got: "Progressing", reason: "Argo CD wants the message Ready and no other; the published message has the name of each cluster"},

	{kind: "flink/Flink*", way: different, want: "*Progress*", reason: oneJob},
	{kind: "spark/SparkApplication", library: "Argo CD", way: different, want: "Progressing", got: "Healthy", reason: oneJob},
	{kind: "kubernetes/Service", library: "Argo CD", way: different, want: "Progressing", got: "Healthy", inGo: true, reason: addresses},
	{kind: "kubernetes/Ingress", library: "Argo CD", way: different, want: "Progressing", got: "Healthy", inGo: true, reason: addresses},
	{kind: "kubernetes/PersistentVolumeClaim", library: "kstatus", way: different, want: "InProgress", got: "Current", reason: volumes},
	{kind: "kubernetes/PersistentVolumeClaim", library: "Argo CD", way: different, want: "Progressing", got: "Healthy", inGo: true, reason: volumes},
	{kind: "kubernetes/CronJob", library: "Argo CD", way: different, got: "Healthy", reason: crons},

	{kind: "kruise/AdvancedCronJob", library: "Argo CD", way: different, want: "not Healthy", got: "Healthy", inPublished: true, reason: crons},

	{kind: "kubernetes/Pod", library: "kstatus", way: different, want: "InProgress", got: "Current", reason: pods},
	{kind: "kubernetes/Pod", library: "kstatus", way: different, want: "not Current", got: "Current", reason: pods},
	{kind: "kubernetes/Pod", library: "Argo CD", way: different, want: "Progressing", got: "Healthy", inGo: true, reason: "the sample has no phase; the API server gives each pod one"},
	{kind: "kubernetes/Job", library: "kstatus", way: different, want: "not Current", got: "Current", reason: "the API server takes Failed only once no pod is active in any cluster; until then kstatus calls a Job that runs Current"},
	{kind: "kubernetes/Job", library: "Argo CD", way: different, want: "Healthy*", got: "Progressing", inGo: true, reason: "Argo CD takes a Job that was resumed for one that is complete; together with one that was never suspended it runs"},
	{kind: "kubernetes/Deployment", library: "kstatus", want: "InProgress", got: "Current", reason: "the sample has none of the conditions that the controller writes, and the template has those of its counts"},
	{kind: "kubernetes/PodDisruptionBudget", library: "Argo CD", way: different, want: "Progressing", got: "Healthy", reason: "Argo CD takes each condition that is not False for healthy, Unknown too"},
	{kind: "gateway-api/Gateway", library: "Argo CD", way: different, want: "Progressing", got: "Healthy", reason: "Argo CD takes Accepted that is not False for healthy, Unknown too, where Programmed is not there"},
	{kind: "gateway-api/*Route", library: "Argo CD", way: different, got: "Healthy", reason: "Argo CD leaves out a parent without conditions, or with one of an older generation, and is content with another"},
	{kind: "knative/Service", library: "Argo CD", way: different, want: "Progressing", got: "Healthy", reason: "the sample lacks conditions that each Service has; those of the other cluster stand for them"},
	{kind: "kubevirt/VirtualMachine", library: "kstatus", want: "InProgress", got: "Current", reason: "observedGeneration of a machine is the generation with which its instance started, and stays in the member"},
	{kind: "kruise/BroadcastJob", library: "Argo CD", want: "Degraded", got: "Progressing", reason: "the sample failed without a count of failed pods, which the controller always writes; together they are 0"},
}

// excuses reports whether an exception is about a finding.
func (e exception) excuses(f finding) bool {
	for pattern, text := range map[*string]string{&e.kind: f.kind, &e.library: f.library, &e.way: f.way, &e.want: f.want, &e.got: f.got} {
		if matched, err := path.Match(*pattern, text); *pattern != "" && (err != nil || !matched) {
			return false
		}
	}
	return true
}

// finish reports what is not as it should be and is no exception, and exceptions that nothing needs any more, of
// those that must be needed.
func (r *report) finish(must func(exception) bool) {
	r.t.Helper()
	needed := make([]int, len(exceptions))
	for _, f := range slices.SortedFunc(maps.Keys(r.found), func(a, b finding) int { return cmp.Compare(a.String(), b.String()) }) {
		at := slices.IndexFunc(exceptions, func(e exception) bool { return e.excuses(f) })
		if at < 0 {
			r.t.Errorf("%v: %s", f, r.found[f])
			continue
		}
		needed[at]++
	}
	for i, n := range needed {
		e := exceptions[i]
		if n == 0 && must(e) && (!e.inGo || os.Getenv(programVariable) != "") {
			r.t.Errorf("nothing needs the exception for %s, %s, %s, want %s, got %s: %s", e.kind, e.library, e.way, e.want, e.got, e.reason)
		}
	}
}
