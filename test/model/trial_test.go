// SPDX-License-Identifier: Apache-2.0

package model

import (
	"errors"
	"time"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/rendering"
)

// trial is the question to a cluster whether it would take a manifest.
type trial struct {
	manifest string
	// answered is whether there is an answer, and what it is.
	answered bool
	answer   rendering.Answer
	// again is when a cluster that could not be asked is asked once more; zero is not decided.
	again time.Time
}

// askAgain is after how long.
const askAgain = time.Second

var errAdmission = errors.New("admission webhook denied the request")

// ask returns what a cluster answered about the manifest for a target. The first time for a manifest
// asks; the answer enqueues the binding.
func (m *run) ask(b *workv1alpha2.ResourceBinding, target workv1alpha2.TargetCluster) rendering.Answer {
	cluster := target.Name
	if m.clusters[cluster] == nil {
		return rendering.Answer{Failed: true} // its namespace is gone
	}
	if binding.Suspended(&b.Spec, cluster) {
		return rendering.Answer{Waits: "dispatching to cluster " + cluster + " is suspended"}
	}
	manifest, last := string(m.render(b, target, "")), m.trials[cluster]
	switch {
	case last == nil || last.manifest != manifest || last.answered && !last.again.IsZero() && !m.now.Before(last.again):
		m.trials[cluster] = &trial{manifest: manifest}
		m.enqueue("trial " + cluster)
	case last.answered:
		a := last.answer
		if !last.again.IsZero() {
			a.Again = last.again.Sub(m.now)
		}
		return a
	}
	return rendering.Answer{Waits: "cluster " + cluster + " has not answered yet"}
}

// answer has a cluster answer the question that it was asked last.
func (m *run) answer(cluster string) *turn {
	of := m.trials[cluster]
	if of == nil || of.answered {
		return &turn{}
	}
	var a rendering.Answer
	switch {
	case m.cut[cluster]:
		a.Unreached = errCut
	case m.refuses[cluster]:
		a.Refused = errAdmission
	}
	return &turn{writes: []func() error{func() error {
		if m.trials[cluster] == of { // else another question was asked meanwhile
			of.answered, of.answer = true, a
			m.enqueue("rendering")
		}
		return nil
	}}}
}

// connected has the question be asked again that a cluster did not take.
func (m *run) connected(cluster string) {
	if of := m.trials[cluster]; of != nil && of.answered && (of.answer.Refused != nil || of.answer.Unreached != nil) {
		delete(m.trials, cluster)
		m.enqueue("rendering")
	}
}
