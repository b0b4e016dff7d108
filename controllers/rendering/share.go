// SPDX-License-Identifier: Apache-2.0

package rendering

import (
	"fmt"

	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/content"
)

// share is how many replicas of all a cluster has.
type share struct{ replicas, of int64 }

// maxShares bounds the common multiple of shares, so that what is multiplied by it stays a
// number.
const maxShares = 1 << 24

// isValid reports whether a share is one that a part can be computed from.
func (s share) isValid() bool { return 0 < s.replicas && s.replicas <= s.of && s.of <= maxShares }

func (s share) String() string { return fmt.Sprintf("%d/%d", s.replicas, s.of) }

// shareIn returns the share with which the copy of a Work was created; false if that is not
// known.
func shareIn(w *workv1alpha1.Work) (share, bool) {
	var s share
	if w == nil {
		return s, false
	}
	n, err := fmt.Sscanf(w.Annotations[workv1alpha2.ShareAnnotation], "%d/%d", &s.replicas, &s.of)
	return s, err == nil && n == 2 && s.isValid()
}

// shareOf returns the share of a cluster by the shares of all.
func shareOf(shares []any, cluster string) share {
	var s share
	for _, other := range shares {
		other := other.(map[string]any)
		s.of += other["replicas"].(int64)
		if other["name"] == cluster {
			s.replicas = other["replicas"].(int64)
		}
	}
	return s
}

// fixedShares returns the shares of all clusters as they were when each copy was created, in the
// same order: those of existing Works by what they record, all others as they are now. They are
// nil where none is recorded, or they have no common measure.
func fixedShares(shares []any, existing map[string]*workv1alpha1.Work) []any {
	all, measure, recorded := make([]share, len(shares)), int64(1), false
	for i := range shares {
		name := shares[i].(map[string]any)["name"].(string)
		s, is := shareIn(existing[name])
		if !is {
			s = shareOf(shares, name)
		}
		if recorded = recorded || is; s.of == 0 {
			return nil
		}
		if measure = measure / gcd(measure, s.of) * s.of; measure > maxShares {
			return nil
		}
		all[i] = s
	}
	if !recorded {
		return nil
	}
	fixed := make([]any, len(shares))
	for i, s := range all {
		fixed[i] = map[string]any{"name": shares[i].(map[string]any)["name"], "replicas": s.replicas * (measure / s.of)}
	}
	return fixed
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// setShare records the share with which the copy of a Work is created, where the Work is written
// anyway: it is new, or gets this manifest in place of another one.
func setShare(w *workv1alpha1.Work, shares []any, cluster string, manifest []byte) {
	_, known := shareIn(w)
	now := shareOf(shares, cluster)
	written := len(w.Spec.Workload.Manifests) == 1 && content.SameJSON(w.Spec.Workload.Manifests[0].Raw, manifest)
	switch {
	case written || known && len(shares) > 0:
	case now.isValid():
		w.Annotations[workv1alpha2.ShareAnnotation] = now.String()
	default:
		delete(w.Annotations, workv1alpha2.ShareAnnotation)
	}
}
