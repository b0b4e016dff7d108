// SPDX-License-Identifier: Apache-2.0

// Package names makes the names and label keys that the control plane uses for
// its own objects.
//
// In go names of users' objects and clusters, out come names that are the same
// on every run and equal to those that Karmada makes, so that a control plane
// can be taken over with its objects.
//
// The package refuses to know the objects themselves and whether a name is
// taken. Binding and Work names do not hold the API group: two kinds of the
// same name in different groups meet in one name, and the caller must look at
// spec.resource before it takes an existing binding for its own.
package names

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/rand"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
)

// Namespaces that the control plane keeps for itself, besides the execution
// namespaces.
const (
	// SystemNamespace holds the control plane's own objects.
	SystemNamespace = "karmada-system"
	// ClusterNamespace holds the Secrets and leases of members.
	ClusterNamespace = "karmada-cluster"
)

const executionSpacePrefix = "karmada-es-"

// ExecutionSpace returns the namespace that holds the Works of a cluster.
func ExecutionSpace(cluster string) string {
	return executionSpacePrefix + cluster
}

// Cluster returns the cluster whose Works a namespace holds; false when it is not
// an execution namespace.
func Cluster(executionSpace string) (string, bool) {
	cluster, ok := strings.CutPrefix(executionSpace, executionSpacePrefix)
	if !ok || cluster == "" {
		return "", false
	}
	return cluster, true
}

// IsReservedNamespace reports whether the objects of a namespace are the control
// plane's own and never propagated.
func IsReservedNamespace(namespace string) bool {
	return namespace == SystemNamespace || namespace == ClusterNamespace ||
		strings.HasPrefix(namespace, executionSpacePrefix)
}

// Binding returns the name of the ResourceBinding or ClusterResourceBinding of an
// object, for example nginx-deployment.
func Binding(kind, name string) string {
	return strings.ToLower(objectName(name) + "-" + kind)
}

// Work returns the name of the Works of an object, for example
// nginx-687f7fb96f for the Deployment nginx in default. It is the same in every
// execution namespace. The namespace is empty for an object without one.
func Work(kind, namespace, name string) string {
	name = objectName(name)
	key := name + "-" + kind
	if namespace != "" {
		key = namespace + "-" + key
	}
	return strings.ToLower(name) + "-" + hash(strings.ToLower(key))
}

// DependedByLabel returns the key of the label that a binding carries for one
// binding that depends on it, named here.
func DependedByLabel(bindingNamespace, bindingName string) string {
	return workv1alpha2.DependedByLabelPrefix + hash(bindingNamespace+"/"+bindingName)
}

// OwnerLease returns the name of the Lease by which a control plane shows in its members that
// it lives, for example dragoman-2c26b46b68ffc68f for the owner foo. Owners are any text.
func OwnerLease(owner string) string {
	sum := sha256.Sum256([]byte(owner))
	return "dragoman-" + hex.EncodeToString(sum[:8])
}

// SafeEncode maps each byte of a text to one of 27 letters and digits that form
// no words. The length stays the same; the way back is lost.
func SafeEncode(text string) string {
	return rand.SafeEncodeString(text)
}

// hash returns the FNV-1a hash (32 bit) of a text in safely encoded decimal.
func hash(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return SafeEncode(strconv.FormatUint(uint64(h.Sum32()), 10))
}

// objectName returns the name with colons, which RBAC objects may have and
// bindings and Works may not, as dots.
func objectName(name string) string {
	return strings.ReplaceAll(name, ":", ".")
}
