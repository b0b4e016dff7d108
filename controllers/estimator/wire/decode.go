// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	pb "github.com/dragoman-io/dragoman/api/estimator"
	"github.com/dragoman-io/dragoman/builtin"
	"github.com/dragoman-io/dragoman/controllers/decide/capacity/inventory"
)

// FieldError is a field of a message that is not valid.
type FieldError struct {
	Field *field.Path
	Err   error
}

// Error returns the field and what is wrong with it.
func (e *FieldError) Error() string { return e.Field.String() + ": " + e.Err.Error() }

// Unwrap returns what is wrong with the field.
func (e *FieldError) Unwrap() error { return e.Err }

// The names of fields, as the messages have them.
const (
	fieldRequirements = "replicaRequirements"
	fieldRequests     = "resourceRequestBytes"
	fieldClaim        = "nodeClaim"
)

// Requirements returns what one replica needs, and its namespace. Requirements that are
// nil need nothing. An error is a FieldError below path.
func Requirements(r *pb.ReplicaRequirements, path *field.Path) (inventory.Requirements, string, error) {
	decoded, err := requirements(r.GetNodeClaim(), r.GetResourceRequestBytes(), path)
	decoded.PriorityClass = r.GetPriorityClassName()
	return decoded, r.GetNamespace(), err
}

// Components returns what the components of one set need. An error is a FieldError.
func Components(components []*pb.Component, path *field.Path) ([]inventory.Component, error) {
	decoded := make([]inventory.Component, 0, len(components))
	for index, c := range components {
		at := path.Index(index)
		if c.GetReplicas() < 0 {
			return nil, &FieldError{at.Child("replicas"), fmt.Errorf("%d is negative", c.GetReplicas())}
		}
		r := c.GetReplicaRequirements()
		of, err := requirements(r.GetNodeClaim(), r.GetResourceRequestBytes(), at.Child(fieldRequirements))
		if err != nil {
			return nil, err
		}
		of.PriorityClass = r.GetPriorityClassName()
		decoded = append(decoded, inventory.Component{Name: c.GetName(), Replicas: c.GetReplicas(), Requirements: of})
	}
	return decoded, nil
}

// Workloads returns the assumed workloads. An error is a FieldError.
func Workloads(workloads []*pb.AssumedWorkload, path *field.Path) ([]inventory.Workload, error) {
	decoded := make([]inventory.Workload, 0, len(workloads))
	for index, w := range workloads {
		components, err := Components(w.GetComponents(), path.Index(index).Child("components"))
		if err != nil {
			return nil, err
		}
		decoded = append(decoded, inventory.Workload{Namespace: w.GetNamespace(), Components: components})
	}
	return decoded, nil
}

// Owner returns the workload that a reference names. An error is a FieldError.
func Owner(o *pb.ObjectReference, path *field.Path) (inventory.Owner, error) {
	version, err := schema.ParseGroupVersion(o.GetApiVersion())
	if err != nil {
		return inventory.Owner{}, &FieldError{path.Child("apiVersion"), err}
	}
	for name, value := range map[string]string{"kind": o.GetKind(), "name": o.GetName()} {
		if value == "" {
			return inventory.Owner{}, &FieldError{path.Child(name), errors.New("is empty")}
		}
	}
	return inventory.Owner{Namespace: o.GetNamespace(), Group: version.Group, Kind: o.GetKind(), Name: o.GetName()}, nil
}

func requirements(c *pb.NodeClaim, requests map[string][]byte, path *field.Path) (inventory.Requirements, error) {
	claim, err := nodeClaim(c, path.Child(fieldClaim))
	if err != nil {
		return inventory.Requirements{}, err
	}
	decoded := inventory.Requirements{Claim: claim, Requests: make(corev1.ResourceList, len(requests))}
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		q, err := quantity(requests[name])
		if err != nil {
			return inventory.Requirements{}, &FieldError{path.Child(fieldRequests).Key(name), err}
		}
		decoded.Requests[corev1.ResourceName(name)] = q
	}
	return decoded, nil
}

func nodeClaim(c *pb.NodeClaim, path *field.Path) (*inventory.Claim, error) {
	if c == nil {
		return nil, nil
	}
	affinityPath := path.Child("nodeAffinityBytes")
	var affinity *corev1.NodeSelector
	if len(c.NodeAffinityBytes) > 0 {
		affinity = &corev1.NodeSelector{}
		if err := affinity.Unmarshal(c.NodeAffinityBytes); err != nil {
			return nil, &FieldError{affinityPath, err}
		}
	}
	tolerations := make([]corev1.Toleration, len(c.TolerationsBytes))
	for index, b := range c.TolerationsBytes {
		if err := tolerations[index].Unmarshal(b); err != nil {
			return nil, &FieldError{path.Child("tolerationsBytes").Index(index), err}
		}
	}
	claim, err := inventory.NewClaim(c.NodeSelector, affinity, tolerations)
	if err != nil {
		return nil, &FieldError{affinityPath, err}
	}
	return claim, nil
}

// quantityText is the only field of a Quantity.
const quantityText = 1

// quantity reads the protobuf form of a quantity. Its own reader takes hours for some
// texts, such as 1e-999999999, so that the text is taken out and read with a bound.
func quantity(b []byte) (resource.Quantity, error) {
	var text string
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return resource.Quantity{}, protowire.ParseError(n)
		}
		b = b[n:]
		if number != quantityText {
			if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
				return resource.Quantity{}, protowire.ParseError(n)
			}
			b = b[n:]
			continue
		}
		if kind != protowire.BytesType {
			return resource.Quantity{}, fmt.Errorf("field %d of the quantity is not text", number)
		}
		value, n := protowire.ConsumeBytes(b)
		if n < 0 {
			return resource.Quantity{}, protowire.ParseError(n)
		}
		text, b = string(value), b[n:]
	}
	if text == "" {
		return resource.Quantity{}, errors.New("is not a quantity, it has no text")
	}
	q, err := builtin.ParseQuantity(text)
	if err == nil && q.Sign() < 0 {
		err = fmt.Errorf("%s is negative", text)
	}
	return q, err
}
