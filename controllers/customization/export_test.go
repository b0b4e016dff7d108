// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"time"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/engine"
)

// ContentHash is contentHash, for the suite.
var ContentHash = contentHash

// CompileBy has the scripts of customizations compiled by a function, for the suite.
func (c *Controller) CompileBy(compile func(*configv1alpha1.ResourceInterpreterCustomization) (engine.RuleSet, []error)) {
	c.compile = compile
}

// SetPatience sets for how long an outcome is waited for before the status reports that it
// is pending, for the suite.
func (c *Controller) SetPatience(d time.Duration) { c.patience = d }
