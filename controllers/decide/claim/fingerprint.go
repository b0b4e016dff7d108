// SPDX-License-Identifier: Apache-2.0

package claim

import (
	"fmt"
	"hash/fnv"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Fingerprint is a hash of what the authors of an object wrote: equal for two versions
// that differ only in status, in what the API server keeps, and in the policy's claim.
func Fingerprint(o *unstructured.Unstructured) (string, error) {
	raw, err := utiljson.Marshal(Content(o))
	if err != nil {
		return "", fmt.Errorf("hash %s %s/%s: %w", o.GetKind(), o.GetNamespace(), o.GetName(), err)
	}
	h := fnv.New64a()
	_, _ = h.Write(raw)
	return strconv.FormatUint(h.Sum64(), 36), nil
}
