// SPDX-License-Identifier: Apache-2.0

package base

import (
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
)

// MovesByItself reports whether application failover moves the object of a binding where it is
// unhealthy: some rule says how it is, and it runs something. What runs nothing, such as a Service
// without an address or a claim without a volume, goes along with a workload.
func (d Deps) MovesByItself(b workv1alpha2.Binding) bool {
	rules, kind := d.Interpreter.Snapshot(), templates.KeyOfReference(&b.GetSpec().Resource).GroupVersionKind
	return rules.Supports(kind, engine.InterpretHealth) && (b.GetSpec().IsWorkload() || rules.IsWorkload(kind))
}
