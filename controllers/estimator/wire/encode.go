// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	pb "github.com/dragoman-io/dragoman/api/estimator"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// ReplicaRequirements returns the message of a binding's requirements; nil stays nil. An
// error is that of a quantity, an affinity or a toleration that has no protobuf form.
func ReplicaRequirements(r *workv1alpha2.ReplicaRequirements) (*pb.ReplicaRequirements, error) {
	if r == nil {
		return nil, nil
	}
	claim, requests, err := encode(r.NodeClaim, r.ResourceRequest)
	if err != nil {
		return nil, err
	}
	return &pb.ReplicaRequirements{NodeClaim: claim, Namespace: r.Namespace, PriorityClassName: r.PriorityClassName, ResourceRequestBytes: requests}, nil
}

// ComponentMessages returns the messages of a binding's components.
func ComponentMessages(components []workv1alpha2.Component) ([]*pb.Component, error) {
	messages := make([]*pb.Component, 0, len(components))
	for _, c := range components {
		m := &pb.Component{Name: c.Name, Replicas: c.Replicas}
		if r := c.ReplicaRequirements; r != nil {
			claim, requests, err := encode(r.NodeClaim, r.ResourceRequest)
			if err != nil {
				return nil, fmt.Errorf("component %s: %w", c.Name, err)
			}
			m.ReplicaRequirements = &pb.ComponentReplicaRequirements{NodeClaim: claim, PriorityClassName: r.PriorityClassName, ResourceRequestBytes: requests}
		}
		messages = append(messages, m)
	}
	return messages, nil
}

func encode(c *workv1alpha2.NodeClaim, requests corev1.ResourceList) (*pb.NodeClaim, map[string][]byte, error) {
	claim, err := claimMessage(c)
	if err != nil {
		return nil, nil, err
	}
	encoded := make(map[string][]byte, len(requests))
	for name, q := range requests {
		if encoded[string(name)], err = q.Marshal(); err != nil {
			return nil, nil, fmt.Errorf("request of %s: %w", name, err)
		}
	}
	return claim, encoded, nil
}

func claimMessage(c *workv1alpha2.NodeClaim) (*pb.NodeClaim, error) {
	if c == nil {
		return nil, nil
	}
	m := &pb.NodeClaim{NodeSelector: c.NodeSelector}
	if c.HardNodeAffinity != nil {
		var err error
		if m.NodeAffinityBytes, err = c.HardNodeAffinity.Marshal(); err != nil {
			return nil, fmt.Errorf("node affinity: %w", err)
		}
	}
	for index := range c.Tolerations {
		b, err := c.Tolerations[index].Marshal()
		if err != nil {
			return nil, fmt.Errorf("toleration %d: %w", index, err)
		}
		m.TolerationsBytes = append(m.TolerationsBytes, b)
	}
	return m, nil
}
