// SPDX-License-Identifier: Apache-2.0

// Package metric registers metrics that several parts of one process share: the controllers of both kinds
// of binding, and the queues of all controllers.
package metric

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// Shared registers a collector, or returns the one of its name and labels that is there. A nil registry
// serves none.
func Shared[C prometheus.Collector](r prometheus.Registerer, c C) (C, error) {
	if r == nil {
		return c, nil
	}
	err := r.Register(c)
	if there, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); ok {
		if existing, is := there.ExistingCollector.(C); is {
			return existing, nil
		}
	}
	return c, err
}
