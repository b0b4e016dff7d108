// SPDX-License-Identifier: Apache-2.0

package placement

import (
	"errors"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// forwardUID is the UID of an object that breaks ties from the start of the
// alphabet, reversedUID of one that does so from its end.
const (
	forwardUID  types.UID = "a"
	reversedUID types.UID = "b"
)

// cluster makes a member that serves Deployments, ConfigMaps and
// FlinkDeployments.
func cluster(name string, with ...func(*clusterv1alpha1.Cluster)) *clusterv1alpha1.Cluster {
	c := &clusterv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: name}}
	c.Status.APIEnablements = []clusterv1alpha1.APIEnablement{
		{GroupVersion: "apps/v1", Resources: []clusterv1alpha1.APIResource{{Name: "deployments", Kind: "Deployment"}}},
		{GroupVersion: "flink.apache.org/v1beta1", Resources: []clusterv1alpha1.APIResource{{Name: "flinkdeployments", Kind: "FlinkDeployment"}}},
		{GroupVersion: "v1", Resources: []clusterv1alpha1.APIResource{{Name: "configmaps", Kind: "ConfigMap"}}},
	}
	for _, w := range with {
		w(c)
	}
	return c
}

func clusters(c ...*clusterv1alpha1.Cluster) []*clusterv1alpha1.Cluster { return c }

// members makes plain clusters with these names.
func members(names ...string) []*clusterv1alpha1.Cluster {
	out := make([]*clusterv1alpha1.Cluster, len(names))
	for i, n := range names {
		out[i] = cluster(n)
	}
	return out
}

func label(key, value string) func(*clusterv1alpha1.Cluster) {
	return func(c *clusterv1alpha1.Cluster) { metav1.SetMetaDataLabel(&c.ObjectMeta, key, value) }
}

func located(provider, region string, zones ...string) func(*clusterv1alpha1.Cluster) {
	return func(c *clusterv1alpha1.Cluster) {
		c.Spec.Provider, c.Spec.Region, c.Spec.Zones = provider, region, zones
	}
}

// taint reads "key=value:Effect".
func taint(s string) func(*clusterv1alpha1.Cluster) {
	rest, effect, _ := strings.Cut(s, ":")
	key, value, _ := strings.Cut(rest, "=")
	return func(c *clusterv1alpha1.Cluster) {
		c.Spec.Taints = append(c.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)})
	}
}

// recorded has the status of the cluster know a NoExecute taint of a key since second 1000, whether
// or not its spec has it.
func recorded(key string) func(*clusterv1alpha1.Cluster) {
	return func(c *clusterv1alpha1.Cluster) {
		c.Status.TaintedSince = append(c.Status.TaintedSince, clusterv1alpha1.TaintSince{Key: key, Since: metav1.Unix(1000, 0)})
	}
}

// inConflict has the cluster in a conflict of ids.
func inConflict(c *clusterv1alpha1.Cluster) {
	c.Status.Conditions = []metav1.Condition{{Type: clusterv1alpha1.ClusterConditionIDConflict, Status: metav1.ConditionTrue, Reason: clusterv1alpha1.ReasonSameCluster}}
}

// ofOthers has another control plane of the same owner write to the cluster.
func ofOthers(c *clusterv1alpha1.Cluster) {
	c.Status.Conditions = []metav1.Condition{{Type: clusterv1alpha1.ClusterConditionOwnerConflict, Status: metav1.ConditionTrue, Reason: clusterv1alpha1.ReasonOtherControlPlane}}
}

func deleting(c *clusterv1alpha1.Cluster) { c.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }

func withoutAPIs(c *clusterv1alpha1.Cluster) { c.Status.APIEnablements = nil }

// has returns the cluster a summary: 110 pods, and free is "cpu=4 memory=8Gi".
func has(free string) func(*clusterv1alpha1.Cluster) {
	return func(c *clusterv1alpha1.Cluster) {
		list := resources("pods=110 " + free)
		c.Status.ResourceSummary = &clusterv1alpha1.ResourceSummary{Allocatable: list}
	}
}

// resources reads "cpu=4 memory=8Gi".
func resources(s string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for _, f := range strings.Fields(s) {
		name, quantity, _ := strings.Cut(f, "=")
		list[corev1.ResourceName(name)] = resource.MustParse(quantity)
	}
	return list
}

type specOption = func(*workv1alpha2.ResourceBindingSpec)

func spec(apiVersion, kind string, with []specOption) *workv1alpha2.ResourceBindingSpec {
	s := &workv1alpha2.ResourceBindingSpec{
		Resource:  workv1alpha2.ObjectReference{APIVersion: apiVersion, Kind: kind, Namespace: "default", Name: "it", UID: forwardUID},
		Placement: &policyv1alpha1.Placement{},
	}
	for _, w := range with {
		w(s)
	}
	return s
}

// deployment makes the spec of a Deployment whose replicas request 1 CPU each.
func deployment(replicas int32, with ...specOption) *workv1alpha2.ResourceBindingSpec {
	s := spec("apps/v1", "Deployment", with)
	s.Replicas = replicas
	s.ReplicaRequirements = &workv1alpha2.ReplicaRequirements{ResourceRequest: resources("cpu=1")}
	return s
}

func configMap(with ...specOption) *workv1alpha2.ResourceBindingSpec {
	return spec("v1", "ConfigMap", with)
}

// flink makes the spec of a FlinkDeployment with one job manager of 1 CPU and so
// many task managers of 2 CPUs.
func flink(taskManagers int32, with ...specOption) *workv1alpha2.ResourceBindingSpec {
	s := spec("flink.apache.org/v1beta1", "FlinkDeployment", with)
	s.Components = []workv1alpha2.Component{component("jobmanager", 1, "cpu=1"), component("taskmanager", taskManagers, "cpu=2")}
	return s
}

func component(name string, replicas int32, request string) workv1alpha2.Component {
	return workv1alpha2.Component{
		Name: name, Replicas: replicas,
		ReplicaRequirements: &workv1alpha2.ComponentReplicaRequirements{ResourceRequest: resources(request)},
	}
}

func on(targets ...workv1alpha2.TargetCluster) specOption {
	return func(s *workv1alpha2.ResourceBindingSpec) { s.Clusters = targets }
}

func to(name string, replicas int32) workv1alpha2.TargetCluster {
	return workv1alpha2.TargetCluster{Name: name, Replicas: replicas}
}

func toFlink(name string, taskManagers int32) workv1alpha2.TargetCluster {
	return workv1alpha2.TargetCluster{Name: name, Components: []workv1alpha2.TargetComponent{
		{Name: "jobmanager", Replicas: 1}, {Name: "taskmanager", Replicas: taskManagers},
	}}
}

func leaving(names ...string) specOption {
	return func(s *workv1alpha2.ResourceBindingSpec) {
		for _, n := range names {
			s.GracefulEvictionTasks = append(s.GracefulEvictionTasks, workv1alpha2.GracefulEvictionTask{FromCluster: n})
		}
	}
}

func uid(u types.UID) specOption {
	return func(s *workv1alpha2.ResourceBindingSpec) { s.Resource.UID = u }
}

func affinity(a policyv1alpha1.ClusterAffinity) specOption {
	return func(s *workv1alpha2.ResourceBindingSpec) { s.Placement.ClusterAffinity = &a }
}

// groups makes fallback groups from "name: cluster,cluster"; after a "+" come
// the clusters of an overflow group.
func groups(texts ...string) specOption {
	var terms []policyv1alpha1.ClusterAffinityTerm
	for _, t := range texts {
		name, list, _ := strings.Cut(t, ": ")
		tiers := strings.Split(list, "+")
		term := policyv1alpha1.ClusterAffinityTerm{AffinityName: name, ClusterAffinity: named(strings.Split(tiers[0], ",")...)}
		for _, o := range tiers[1:] {
			term.OverflowAffinities = append(term.OverflowAffinities, policyv1alpha1.OverflowClusterAffinity{
				AffinityName: name + "+", ClusterAffinity: named(strings.Split(o, ",")...),
			})
		}
		terms = append(terms, term)
	}
	return func(s *workv1alpha2.ResourceBindingSpec) { s.Placement.ClusterAffinities = terms }
}

func named(names ...string) policyv1alpha1.ClusterAffinity {
	return policyv1alpha1.ClusterAffinity{ClusterNames: names}
}

func tolerating(t ...corev1.Toleration) specOption {
	return func(s *workv1alpha2.ResourceBindingSpec) { s.Placement.ClusterTolerations = t }
}

func spread(field policyv1alpha1.SpreadFieldValue, least, most int) specOption {
	return func(s *workv1alpha2.ResourceBindingSpec) {
		s.Placement.SpreadConstraints = append(s.Placement.SpreadConstraints,
			policyv1alpha1.SpreadConstraint{SpreadByField: field, MinGroups: least, MaxGroups: most})
	}
}

func scheduled(s policyv1alpha1.ReplicaSchedulingStrategy) specOption {
	return func(spec *workv1alpha2.ResourceBindingSpec) { spec.Placement.ReplicaScheduling = &s }
}

// byWeights makes static weights from {"member1", 2} and the like.
func byWeights(weights map[string]int64) specOption {
	p := &policyv1alpha1.ClusterPreferences{}
	for name, w := range weights {
		p.StaticWeightList = append(p.StaticWeightList, policyv1alpha1.StaticClusterWeight{TargetCluster: named(name), Weight: w})
	}
	return scheduled(policyv1alpha1.ReplicaSchedulingStrategy{ReplicaSchedulingType: "Divided", ReplicaDivisionPreference: "Weighted", WeightPreference: p})
}

var (
	equally    = scheduled(policyv1alpha1.ReplicaSchedulingStrategy{ReplicaSchedulingType: "Divided"})
	byFreeRoom = scheduled(policyv1alpha1.ReplicaSchedulingStrategy{
		ReplicaSchedulingType: "Divided", ReplicaDivisionPreference: "Weighted",
		WeightPreference: &policyv1alpha1.ClusterPreferences{DynamicWeight: policyv1alpha1.DynamicWeightByAvailableReplicas},
	})
	onFew     = scheduled(policyv1alpha1.ReplicaSchedulingStrategy{ReplicaSchedulingType: "Divided", ReplicaDivisionPreference: "Aggregated"})
	once      = spread("cluster", 1, 1)
	copiedAll = scheduled(policyv1alpha1.ReplicaSchedulingStrategy{ReplicaSchedulingType: "Duplicated"})
)

func observed(affinity string) *workv1alpha2.ResourceBindingStatus {
	return &workv1alpha2.ResourceBindingStatus{SchedulerObservedAffinityName: affinity}
}

func result(targets ...workv1alpha2.TargetCluster) Result { return Result{Clusters: targets} }

func inGroup(group string, targets ...workv1alpha2.TargetCluster) Result {
	return Result{Clusters: targets, AffinityName: group}
}

// kind returns which of the three kinds of error it is, with its text.
func kind(err error) string {
	if err == nil {
		return ""
	}
	if _, ok := errors.AsType[*FitError](err); ok {
		return "FitError: " + err.Error()
	}
	if _, ok := errors.AsType[*UnschedulableError](err); ok {
		return "UnschedulableError: " + err.Error()
	}
	return "invalid: " + err.Error()
}

// selectMeasured decides with the capacity that the clusters' summaries promise.
func selectMeasured(in Input) (Result, error) {
	if NeedsCapacity(in.Spec) {
		in.Capacity = SummaryCapacity(in.Spec, in.Clusters, nil)
	}
	return Select(in)
}
