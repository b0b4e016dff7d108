// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	pb "github.com/dragoman-io/dragoman/api/estimator"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/capacity/inventory"
)

var root = field.NewPath("request")

// text makes the protobuf form of a quantity with a text, whether it is one or not.
func text(s string) []byte { return append([]byte{0x0a, byte(len(s))}, s...) }

func TestErrorsNameTheField(t *testing.T) {
	affinity := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: "Sometimes"}},
	}}}
	wrong, err := affinity.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	requests := func(b []byte) *pb.ReplicaRequirements {
		return &pb.ReplicaRequirements{ResourceRequestBytes: map[string][]byte{"cpu": b}}
	}
	claim := func(c *pb.NodeClaim) *pb.ReplicaRequirements { return &pb.ReplicaRequirements{NodeClaim: c} }
	const cpu = "request.resourceRequestBytes[cpu]: "
	for name, c := range map[string]struct {
		of   *pb.ReplicaRequirements
		want string
	}{
		"no quantity":                     {requests(text("much")), cpu},
		"a text without its end":          {requests([]byte{0x0a, 9, '1'}), cpu},
		"a number for the text":           {requests([]byte{0x08, 1}), cpu},
		"no text":                         {requests([]byte{}), cpu},
		"a tag without its end":           {requests([]byte{0x80}), cpu},
		"another field without its end":   {requests([]byte{0x12, 9}), cpu},
		"an exponent that takes hours":    {requests(text("1e-999999999")), cpu},
		"a negative amount":               {requests(text("-1")), cpu},
		"an affinity that is no selector": {claim(&pb.NodeClaim{NodeAffinityBytes: []byte{0x0a, 9}}), "request.nodeClaim.nodeAffinityBytes: "},
		"an affinity that is not valid":   {claim(&pb.NodeClaim{NodeAffinityBytes: wrong}), "request.nodeClaim.nodeAffinityBytes: "},
		"a toleration that is none":       {claim(&pb.NodeClaim{TolerationsBytes: [][]byte{{}, {0x0a, 9}}}), "request.nodeClaim.tolerationsBytes[1]: "},
	} {
		_, _, err := Requirements(c.of, root)
		var at *FieldError
		if !errors.As(err, &at) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s…", name, err, c.want)
		}
	}
	_, err = Workloads([]*pb.AssumedWorkload{{}, {Components: []*pb.Component{{Replicas: -1}}}}, root)
	if err == nil || !strings.HasPrefix(err.Error(), "request[1].components[0].replicas: ") {
		t.Errorf("got %v", err)
	}
	for _, o := range []*pb.ObjectReference{nil, {Kind: "Deployment"}, {Name: "web"}, {ApiVersion: "a/b/c", Kind: "Deployment", Name: "web"}} {
		if _, err := Owner(o, root); err == nil {
			t.Errorf("%v: got no error", o)
		}
	}
}

// TestRoundTrip asks an inventory what was encoded, sent as bytes and decoded.
func TestRoundTrip(t *testing.T) {
	i := inventory.New()
	for name, zone := range map[string]string{"a": "a", "b": "b", "c": "b"} {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"zone": zone, "disk": "ssd"}}}
		n.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("10"), "pods": resource.MustParse("110")}
		n.Spec.Taints = []corev1.Taint{{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}}
		i.SetNode(n)
	}
	claim := &workv1alpha2.NodeClaim{
		NodeSelector: map[string]string{"disk": "ssd"},
		Tolerations:  []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}},
		HardNodeAffinity: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"b"}}},
		}}},
	}
	requests := corev1.ResourceList{"cpu": resource.MustParse("1500m")}
	r, err := ReplicaRequirements(&workv1alpha2.ReplicaRequirements{NodeClaim: claim, ResourceRequest: requests, Namespace: "team", PriorityClassName: "high"})
	if err != nil {
		t.Fatal(err)
	}
	sent(t, r)
	decoded, namespace, err := Requirements(r, root)
	if err != nil || namespace != "team" || decoded.PriorityClass != "high" {
		t.Fatalf("got namespace %s, priority class %s, error %v", namespace, decoded.PriorityClass, err)
	}
	if got := i.Assume().Replicas(namespace, decoded, 0); got != 12 {
		t.Errorf("got %d replicas, want 12", got)
	}
	components, err := ComponentMessages([]workv1alpha2.Component{
		{Name: "a", Replicas: 2, ReplicaRequirements: &workv1alpha2.ComponentReplicaRequirements{NodeClaim: claim, ResourceRequest: requests, PriorityClassName: "high"}},
		{Name: "b"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range components {
		sent(t, c)
	}
	set, err := Components(components, root)
	if err != nil {
		t.Fatal(err)
	}
	if got := i.Assume().Sets("team", set, 0); got != 6 || set[0].Requirements.PriorityClass != "high" {
		t.Errorf("got %d sets of priority class %s, want 6 of high", got, set[0].Requirements.PriorityClass)
	}
	if r, err := ReplicaRequirements(nil); r != nil || err != nil {
		t.Errorf("got %v, %v for nil", r, err)
	}
}

// sent marshals a message and reads it back into itself.
func sent(t *testing.T, m proto.Message) {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	proto.Reset(m)
	if err := proto.Unmarshal(b, m); err != nil {
		t.Fatal(err)
	}
}

// FuzzDecode decodes requests of any bytes, and asks what could be decoded.
func FuzzDecode(f *testing.F) {
	r, err := ReplicaRequirements(&workv1alpha2.ReplicaRequirements{
		ResourceRequest: corev1.ResourceList{"cpu": resource.MustParse("1500m"), "memory": resource.MustParse("1Gi")},
		NodeClaim: &workv1alpha2.NodeClaim{
			NodeSelector: map[string]string{"zone": "a"}, Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			HardNodeAffinity: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpGt, Values: []string{"1"}}},
			}}},
		},
	})
	if err != nil {
		f.Fatal(err)
	}
	component := &pb.Component{Name: "a", Replicas: 3, ReplicaRequirements: &pb.ComponentReplicaRequirements{NodeClaim: r.NodeClaim, ResourceRequestBytes: r.ResourceRequestBytes}}
	for _, m := range []*pb.EstimateRequest{
		{Questions: []*pb.Question{{Ask: &pb.Question_Replicas{Replicas: r}}}},
		{Questions: []*pb.Question{{Limit: 1, Ask: &pb.Question_ComponentSet{ComponentSet: &pb.ComponentSet{Components: []*pb.Component{component, {Replicas: 1 << 30}}}}}}},
		{AssumedWorkloads: []*pb.AssumedWorkload{{Components: []*pb.Component{component}}}},
	} {
		b, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	i := inventory.New()
	for _, name := range []string{"a", "b", "c"} {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"zone": name}}}
		n.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("8"), "memory": resource.MustParse("8Gi"), "pods": resource.MustParse("9e18")}
		i.SetNode(n)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var m pb.EstimateRequest
		if proto.Unmarshal(b, &m) != nil {
			return
		}
		assumed, err := Workloads(m.AssumedWorkloads, root)
		if err != nil {
			return
		}
		v := i.Assume(assumed...)
		for _, q := range m.Questions {
			if r, namespace, err := Requirements(q.GetReplicas(), root); err == nil {
				if n := v.Replicas(namespace, r, q.GetLimit()); n < 0 || q.GetLimit() > 0 && n > q.GetLimit() {
					t.Errorf("got %d replicas, limit %d", n, q.GetLimit())
				}
			}
			if set, err := Components(q.GetComponentSet().GetComponents(), root); err == nil {
				if n := v.Sets("", set, q.GetLimit()); n < 0 || q.GetLimit() > 0 && n > q.GetLimit() {
					t.Errorf("got %d sets, limit %d", n, q.GetLimit())
				}
			}
		}
	})
}
