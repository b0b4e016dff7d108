// SPDX-License-Identifier: Apache-2.0

package policy_test

import (
	"github.com/dragoman-io/dragoman/controllers"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
)

// listen calls f with the names of the templates that are enqueued.
func listen(d controllers.Deps, f func(name string)) {
	d.Templates.Listen(func(k templates.Key, _ templates.Cause) { f(k.Name) })
}
