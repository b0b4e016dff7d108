// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1client "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers"
)

const (
	// maxTerms bounds how many former terms the lease names.
	maxTerms = 16
	// maxTermsSize bounds what is read of them, in bytes.
	maxTermsSize = 16 << 10
)

// formerTerm is a term as the annotation of the lease has it.
type formerTerm struct {
	Holder   string           `json:"holder,omitempty"`
	Acquired metav1.MicroTime `json:"acquired"`
	Renewed  metav1.MicroTime `json:"renewed"`
}

// readTerms returns the terms that ended before the one that a lease is about, newest first. An
// annotation that says no terms says nothing.
func readTerms(l *coordinationv1.Lease) []controllers.Term {
	text := l.Annotations[clusterv1alpha1.FormerTermsAnnotation]
	if text == "" || len(text) > maxTermsSize {
		return nil
	}
	var read []formerTerm
	if json.Unmarshal([]byte(text), &read) != nil {
		return nil
	}
	terms := make([]controllers.Term, 0, min(len(read), maxTerms))
	for _, t := range read[:min(len(read), maxTerms)] {
		if !isWritable(t.Acquired) || !isWritable(t.Renewed) {
			return nil
		}
		terms = append(terms, controllers.Term{Holder: t.Holder, Acquired: t.Acquired.Time, Renewed: t.Renewed.Time})
	}
	return terms
}

// isWritable reports whether a time is one that can be read after it was written.
func isWritable(t metav1.MicroTime) bool {
	year := t.UTC().Year()
	return !t.IsZero() && year >= 0 && year <= 9999
}

// writeTerms has a lease name the terms that ended before the one that it is about: the newest of
// them, if all take more than is read.
func writeTerms(l *coordinationv1.Lease, terms []controllers.Term) {
	if len(terms) == 0 {
		delete(l.Annotations, clusterv1alpha1.FormerTermsAnnotation)
		return
	}
	written := make([]formerTerm, 0, len(terms))
	for _, t := range terms {
		written = append(written, formerTerm{t.Holder, metav1.NewMicroTime(t.Acquired), metav1.NewMicroTime(t.Renewed)})
	}
	text, err := json.Marshal(written)
	if err != nil || len(text) > maxTermsSize {
		writeTerms(l, terms[:len(terms)-1])
		return
	}
	metav1.SetMetaDataAnnotation(&l.ObjectMeta, clusterv1alpha1.FormerTermsAnnotation, string(text))
}

// followed returns the terms that a manager follows which takes a lease as it was read, newest first.
func followed(l *coordinationv1.Lease, taker string) []controllers.Term {
	terms := readTerms(l)
	term := termOf(resourcelock.LeaseSpecToLeaderElectionRecord(&l.Spec))
	if term.Acquired.IsZero() || term.Holder == taker { // it has taken it, and did not get the answer
		return terms
	}
	terms = append([]controllers.Term{term}, terms...)
	return terms[:min(len(terms), maxTerms)]
}

// termLeases are the leases of an election whose holders name the terms before theirs. An
// annotation of the lease stays when it is renewed.
type termLeases struct {
	coordinationv1client.LeasesGetter
	lead *lead
	// taker is the name of this process.
	taker string
}

// Leases returns those of a namespace.
func (t termLeases) Leases(namespace string) coordinationv1client.LeaseInterface {
	return namespacedTermLeases{t.LeasesGetter.Leases(namespace), t}
}

type namespacedTermLeases struct {
	coordinationv1client.LeaseInterface
	of termLeases
}

// Get reads the lease, and with it whom this process follows if it takes it.
func (n namespacedTermLeases) Get(ctx context.Context, name string, o metav1.GetOptions) (*coordinationv1.Lease, error) {
	l, err := n.LeaseInterface.Get(ctx, name, o)
	switch {
	case err == nil:
		n.of.lead.follow(followed(l, n.of.taker))
	case apierrors.IsNotFound(err):
		n.of.lead.follow(nil) // somebody deleted it: who held it may lead
	}
	return l, err
}

// Update takes, renews or gives up the lease.
func (n namespacedTermLeases) Update(ctx context.Context, l *coordinationv1.Lease, o metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	writeTerms(l, n.of.lead.Formers())
	return n.LeaseInterface.Update(ctx, l, o)
}
