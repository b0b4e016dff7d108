// SPDX-License-Identifier: Apache-2.0

package base

import (
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/clock"
)

// Term is the time for which one manager leads, as its lease in the control plane has it. All times
// are by the clock of that manager. The zero value is none.
type Term struct {
	// Holder names the process; no other has the name. It is empty for a term that was given up.
	Holder string
	// Acquired is when the term began, to the microsecond. It is that of the holder also after
	// the term was given up.
	Acquired time.Time
	// Renewed is when the lease was last renewed; zero for a manager that was not elected.
	Renewed time.Time
}

// Election reports the terms of managers of one control plane. It is safe for many goroutines.
type Election interface {
	// Term returns the term of this manager.
	Term() Term
	// Formers returns terms that ended before this one began, as the lease in the control plane
	// had each at its end, newest first: those that are known, and not to be changed.
	Formers() []Term
}

// unelected is the one term of a manager that is not elected.
type unelected Term

// Unelected returns the election of a manager that leads without one, from now on.
func Unelected(c clock.PassiveClock) Election {
	return unelected{Holder: string(uuid.NewUUID()), Acquired: c.Now()}
}

// Term returns the term that has no end.
func (u unelected) Term() Term { return Term(u) }

// Formers returns none.
func (u unelected) Formers() []Term { return nil }
