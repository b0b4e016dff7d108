// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/dragoman-io/dragoman/controllers/internal/objects"
)

// applied records what was written for each Work and the result: fields that the member's
// API server fills in make the two differ forever, and must not cause a write at each
// reconcile. After a restart each object is written once, which changes nothing that is
// up to date. What was written by rules that have changed since is written once more too.
// Only hashes of the objects are kept. It is safe for many goroutines; the zero value is
// ready.
type applied struct {
	mu   sync.Mutex
	last map[types.NamespacedName]map[identity]record
	// versions counts, for each kind, how often its rules changed.
	versions map[schema.GroupVersionKind]int
}

// identity identifies a manifest among those of one Work.
type identity struct {
	kind   schema.GroupVersionKind
	object types.NamespacedName
}

func identityOf(o *unstructured.Unstructured) identity {
	return identity{o.GroupVersionKind(), types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}}
}

// hash identifies the content of an object.
type hash [sha256.Size]byte

// hashOf returns the hash of an object's content as JSON, whose keys are in order.
func hashOf(content map[string]any) (hash, error) {
	raw, err := utiljson.Marshal(content)
	if err != nil {
		return hash{}, fmt.Errorf("hash an object: %w", err)
	}
	return sha256.Sum256(raw), nil
}

type record struct {
	desired, result hash
	// rules is the version of the rules by which it was written.
	rules int
}

// newRecord returns the record of a write and its result.
func newRecord(desired, result *unstructured.Unstructured, rules int) (record, error) {
	d, err := hashOf(desired.Object)
	if err != nil {
		return record{}, err
	}
	r, err := hashOf(objects.Of(result))
	return record{d, r, rules}, err
}

// rulesVersion returns the version of the rules of a kind. It is read before the rules
// are evaluated, so that a record is outdated if they changed in the meantime.
func (a *applied) rulesVersion(kind schema.GroupVersionKind) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.versions[kind]
}

// outdate begins a new version of the rules of a kind.
func (a *applied) outdate(kind schema.GroupVersionKind) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.versions == nil {
		a.versions = map[schema.GroupVersionKind]int{}
	}
	a.versions[kind]++
}

// record records what was written for a Work, the result, and the version of the rules.
// An object that cannot be hashed is not recorded, and thus never current.
func (a *applied) record(work types.NamespacedName, desired, result *unstructured.Unstructured, rules int) {
	r, err := newRecord(desired, result, rules)
	if err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last == nil {
		a.last = map[types.NamespacedName]map[identity]record{}
	}
	if a.last[work] == nil {
		a.last[work] = map[identity]record{}
	}
	a.last[work][identityOf(desired)] = r
}

// current reports whether the Work wants what was last written, by rules that have not
// changed since, and the object is as it was after that.
func (a *applied) current(work types.NamespacedName, desired, observed *unstructured.Unstructured) bool {
	a.mu.Lock()
	last, ok := a.last[work][identityOf(desired)]
	rules := a.versions[desired.GroupVersionKind()]
	a.mu.Unlock()
	if !ok || last.rules != rules {
		return false
	}
	now, err := newRecord(desired, observed, rules)
	return err == nil && now == last
}

// forget drops what is recorded for a Work.
func (a *applied) forget(work types.NamespacedName) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.last, work)
}
