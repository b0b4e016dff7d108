// SPDX-License-Identifier: Apache-2.0

package cases

import "github.com/dragoman-io/dragoman/engine"

// Law is a property that the scripts of every kind must have, whatever their cases
// expect. It is checked on the objects of the cases.
type Law struct {
	// Name is short and unique.
	Name string
	// Doc is one sentence for authors.
	Doc string

	// check checks the law on the object of a case. It returns false where the law does
	// not apply: a script is missing, or cannot answer for the object.
	check func(s *subject) ([]Failure, bool)
	// anyCase reports whether the law holds for the objects of cases that expect an error
	// too.
	anyCase bool
}

// Laws lists all laws.
func Laws() []Law {
	laws := []Law{{
		Name: "revise then replicas", check: reviseThenReplicas,
		Doc: "An object that was revised to n replicas has n, or as many as it can have at all; one that it always has stays.",
	}}
	for _, op := range engine.Operations() {
		if op.Idempotent {
			laws = append(laws, twice(op))
		}
	}
	return append(laws, []Law{
		{
			Name: "identity", check: keepsIdentity,
			Doc: "An answer that is an object is the same object: apiVersion, kind, namespace and name.",
		}, {
			Name: "order of items", check: orderOfItems,
			Doc: "AggregateStatus returns the same for the items in any order.",
		}, {
			Name: "no items", check: noItems,
			Doc: "AggregateStatus answers where no cluster has reported a status.",
		}, {
			Name: "no status", check: noStatus,
			Doc: "InterpretHealth, InterpretStatus, InterpretState and InterpretFinished answer for an object without status, AggregateStatus for items without.",
		}, {
			Name: "old status", check: oldStatus,
			Doc: "An object is not healthy by a status whose observedGeneration is of an older generation.",
		}, {
			Name: "suspended", check: suspended,
			Doc: "An object whose spec.suspend, or spec.runPolicy.suspend, is true is not unhealthy.",
		}, {
			Name: "components and replicas", check: componentsAndReplicas,
			Doc: "The replicas of the components add up to those of the object.",
		}, {
			Name: "input", check: inputAlone, anyCase: true,
			Doc: "No operation changes its input.",
		}, {
			Name: "same again", check: sameAgain, anyCase: true,
			Doc: "The same question has the same answer.",
		}, {
			Name: "json", check: survivesJSON,
			Doc: "An answer is the same after a way through JSON.",
		}, {
			Name: "empty spec", check: freshObject,
			Doc: "The operation of a case answers for an object with an empty spec and no status.",
		}, {
			Name: "missing field", check: missingField,
			Doc: "The operation of a case does not fail on a nil where a field that an object may lack is missing, each of the first 150 in turn.",
		},
	}...)
}

// Breach is a law that does not hold for the object of a case.
type Breach struct {
	Law  Law
	Case *Case
	// Failures are the differences; their paths name the request.
	Failures []Failure
}

// CheckLaws checks all laws on the objects of a case. It returns how many laws apply, and
// those that do not hold, in the order of Laws. No law applies to a case whose kind is in
// no bundle, or that is skipped. An error that one of the other cases expects where the same is missing breaks no
// law. The objects of the case are changed while laws are checked, and are as before after it.
func (r *Runner) CheckLaws(c *Case, others ...*Case) (checked int, broken []Breach) {
	rules, err := r.rulesOf(c)
	if err != nil || c.Skip != "" {
		return 0, nil
	}
	s := &subject{c: c, rules: rules, all: others}
	for _, law := range Laws() {
		if c.failure != nil && !law.anyCase {
			continue
		}
		failures, applies := law.check(s)
		if applies {
			checked++
		}
		if len(failures) > 0 {
			broken = append(broken, Breach{Law: law, Case: c, Failures: failures})
		}
	}
	return checked, broken
}

// subject is what a law is checked on: a case, and the scripts of its kind.
type subject struct {
	c     *Case
	rules engine.Snapshot
	// all are cases whose errors are expected.
	all []*Case
	// met are the errors that were reported.
	met map[string]bool
}

// has reports whether there are scripts for all these operations.
func (s *subject) has(operations ...engine.Op) bool {
	for _, op := range operations {
		if !s.rules.Supports(s.c.Kind(), op) {
			return false
		}
	}
	return true
}

// ask returns the first result of a request about the object of the case, unless the
// request has another object.
func (s *subject) ask(q engine.Request) (any, error) {
	if q.Object == nil {
		q.Object = s.c.Question.Object
	}
	answer, err := s.rules.Evaluate(q)
	if err != nil {
		return nil, err
	}
	return answer[0], nil
}

// failed is the failure of a request that must have an answer.
func failed(path string, err error) []Failure {
	return []Failure{{Path: path, Got: text(err.Error())}}
}
