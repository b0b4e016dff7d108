// SPDX-License-Identifier: Apache-2.0

// Package base names the loggers of the controllers: each entry has the controller as
// its logger, and the object that it is about under a key of its own.
package base

import (
	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// For makes the loggers of a controller. object is the key of what it reconciles,
// such as cluster or binding.
func For(mgr ctrl.Manager, controller, object string) func(*reconcile.Request) logr.Logger {
	log := mgr.GetLogger().WithName(controller)
	return func(r *reconcile.Request) logr.Logger {
		switch {
		case r == nil:
			return log
		case r.Namespace == "":
			return log.WithValues(object, r.Name)
		}
		return log.WithValues(object, r.Namespace+"/"+r.Name)
	}
}
