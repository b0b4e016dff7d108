// SPDX-License-Identifier: Apache-2.0

package admission

import "k8s.io/utils/clock"

// At returns a controller like one that is registered, at another time.
func At(c *Controller, time clock.PassiveClock) *Controller {
	other := &Controller{Deps: c.Deps, endpoint: c.endpoint, definitions: c.definitions, user: c.user, withPolicies: c.withPolicies}
	other.Clock = time
	return other
}

// Off returns a controller like one that is registered, that serves nothing.
func Off(c *Controller) *Controller {
	other := At(c, c.Clock)
	other.endpoint = nil
	return other
}
