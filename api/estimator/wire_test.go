// SPDX-License-Identifier: Apache-2.0

package estimator

import (
	"encoding/hex"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// The messages below are written by field number alone, as the published ones are.

func text(number protowire.Number, s string) []byte { return message(number, []byte(s)) }

func message(number protowire.Number, fields ...[]byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), join(fields...))
}

func number(n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), v)
}

func join(parts ...[]byte) []byte {
	var all []byte
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// unhex holds bytes that were recorded, not made by a marshaler.
func unhex(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

var (
	// recordedQuantity is the Quantity 500m: field 1, 4 bytes.
	recordedQuantity = unhex("0a0435303" + "06d")
	// recordedToleration has key gpu, operator Exists and effect NoSchedule.
	recordedToleration = unhex("0a03677075" + "1206457869737473" + "1a00" + "220a4e6f5363686564756c65")
	// recordedSelector requires the label zone In [a].
	recordedSelector = unhex("0a0f" + "0a0d" + "0a047a6f6e65" + "1202496e" + "1a0161")
)

func claim() []byte {
	return join(
		message(2, text(1, "disk"), text(2, "ssd")),
		message(4, recordedSelector),
		message(5, recordedToleration),
	)
}

func wantedClaim() *NodeClaim {
	return &NodeClaim{
		NodeSelector:      map[string]string{"disk": "ssd"},
		NodeAffinityBytes: recordedSelector,
		TolerationsBytes:  [][]byte{recordedToleration},
	}
}

func component() []byte {
	return join(
		text(1, "worker"),
		message(2, message(1, claim()), text(3, "high"), message(4, text(1, "cpu"), message(2, recordedQuantity))),
		number(3, 4),
	)
}

func wantedComponent() *Component {
	return &Component{Name: "worker", Replicas: 4, ReplicaRequirements: &ComponentReplicaRequirements{
		NodeClaim: wantedClaim(), PriorityClassName: "high", ResourceRequestBytes: map[string][]byte{"cpu": recordedQuantity},
	}}
}

func assumed() []byte { return join(text(1, "team"), message(2, component())) }

func wantedAssumed() []*AssumedWorkload {
	return []*AssumedWorkload{{Namespace: "team", Components: []*Component{wantedComponent()}}}
}

// TestPublishedWire decodes messages that are written by field number, and encodes the
// same bytes again.
func TestPublishedWire(t *testing.T) {
	for name, c := range map[string]struct {
		bytes []byte
		want  proto.Message
	}{
		"MaxAvailableReplicasRequest": {
			join(
				text(1, "member1"),
				message(2, message(1, claim()), text(3, "team"), text(4, "high"), message(5, text(1, "cpu"), message(2, recordedQuantity))),
				message(3, assumed()),
			),
			&MaxAvailableReplicasRequest{
				Cluster: "member1", AssumedWorkloads: wantedAssumed(),
				ReplicaRequirements: &ReplicaRequirements{
					NodeClaim: wantedClaim(), Namespace: "team", PriorityClassName: "high",
					ResourceRequestBytes: map[string][]byte{"cpu": recordedQuantity},
				},
			},
		},
		"MaxAvailableReplicasResponse": {number(1, 7), &MaxAvailableReplicasResponse{MaxReplicas: 7}},
		"MaxAvailableComponentSetsRequest": {
			join(text(1, "member1"), message(2, component()), text(3, "team"), message(4, assumed())),
			&MaxAvailableComponentSetsRequest{
				Cluster: "member1", Namespace: "team", AssumedWorkloads: wantedAssumed(), Components: []*Component{wantedComponent()},
			},
		},
		"MaxAvailableComponentSetsResponse": {number(1, 3), &MaxAvailableComponentSetsResponse{MaxSets: 3}},
		"UnschedulableReplicasRequest": {
			join(text(1, "member1"), message(2, text(1, "apps/v1"), text(2, "Deployment"), text(3, "team"), text(4, "web")), number(3, 60_000_000_000)),
			&UnschedulableReplicasRequest{
				Cluster: "member1", UnschedulableThreshold: 60_000_000_000,
				Resource: &ObjectReference{ApiVersion: "apps/v1", Kind: "Deployment", Namespace: "team", Name: "web"},
			},
		},
		"UnschedulableReplicasResponse": {number(1, 2), &UnschedulableReplicasResponse{UnschedulableReplicas: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.want.ProtoReflect().New().Interface()
			if err := proto.Unmarshal(c.bytes, got); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got, protocmp.Transform()); d != "" {
				t.Errorf("decoded (-want +got):\n%s", d)
			}
			if unknown := got.ProtoReflect().GetUnknown(); len(unknown) > 0 {
				t.Errorf("fields without a name: %x", unknown)
			}
			encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(c.want)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(hex.EncodeToString(c.bytes), hex.EncodeToString(encoded)); d != "" {
				t.Errorf("encoded (-want +got):\n%s", d)
			}
		})
	}
}

// TestRecordedObjects checks that the recorded bytes of Kubernetes objects are what its
// own types marshal to.
func TestRecordedObjects(t *testing.T) {
	q := resource.MustParse("500m")
	for name, c := range map[string]struct {
		object interface{ Marshal() ([]byte, error) }
		want   []byte
	}{
		"quantity":   {&q, recordedQuantity},
		"toleration": {&corev1.Toleration{Key: "gpu", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}, recordedToleration},
		"selector": {&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"a"}}},
		}}}, recordedSelector},
	} {
		got, err := c.object.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(hex.EncodeToString(c.want), hex.EncodeToString(got)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestMethods holds the paths of the methods, by which servers of either side are called.
func TestMethods(t *testing.T) {
	const service = "/github.com.karmada_io.karmada.pkg.estimator.service.Estimator/"
	for got, want := range map[string]string{
		Estimator_MaxAvailableReplicas_FullMethodName:      service + "MaxAvailableReplicas",
		Estimator_MaxAvailableComponentSets_FullMethodName: service + "MaxAvailableComponentSets",
		Estimator_GetUnschedulableReplicas_FullMethodName:  service + "GetUnschedulableReplicas",
		BatchEstimator_Estimate_FullMethodName:             "/dragoman.estimator.v1.BatchEstimator/Estimate",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
