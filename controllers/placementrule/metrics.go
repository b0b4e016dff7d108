// SPDX-License-Identifier: Apache-2.0

package placementrule

import (
	"errors"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/dragoman-io/dragoman/engine/script"
)

// metrics count what fails of rules. There is a series for a rule as long as the control plane
// has it, and codes are those of the engine.
type metrics struct {
	failures *prometheus.CounterVec
}

func newMetrics() *metrics {
	return &metrics{failures: prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "dragoman", Subsystem: "placementrule", Name: "failures_total",
		Help: "Generations of PlacementRules that did not compile, and runs of their expressions that failed, by the code of the failure.",
	}, []string{"rule", "code"})}
}

// register has a registry serve the metrics; nil serves none.
func (m *metrics) register(r prometheus.Registerer) error {
	if r == nil {
		return nil
	}
	if err := r.Register(m.failures); err != nil {
		return fmt.Errorf("register the metrics of placement rules: %w", err)
	}
	return nil
}

// count counts a failure of a rule.
func (m *metrics) count(rule string, err error) {
	code := script.Code("Invalid")
	var failure *script.Error
	if errors.As(err, &failure) {
		code = failure.Code
	}
	m.failures.WithLabelValues(rule, string(code)).Inc()
}

// forget drops the series of a rule that is gone.
func (m *metrics) forget(rule string) {
	m.failures.DeletePartialMatch(prometheus.Labels{"rule": rule})
}
