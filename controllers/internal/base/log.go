// SPDX-License-Identifier: Apache-2.0

package base

import (
	"errors"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/engine/script"
)

// LogConstructor returns the function that creates the loggers of a controller: each
// entry has the controller as its logger, and the object that it is about under a key
// such as cluster or binding.
func LogConstructor(mgr ctrl.Manager, controller, key string) func(*reconcile.Request) logr.Logger {
	return LogConstructorOf(mgr, controller, key, func(r reconcile.Request) string {
		if r.Namespace == "" {
			return r.Name
		}
		return r.Namespace + "/" + r.Name
	})
}

// LogConstructorOf is LogConstructor for requests of another type, each with a name
// for the log.
func LogConstructorOf[R any](mgr ctrl.Manager, controller, key string, name func(R) string) func(*R) logr.Logger {
	log := mgr.GetLogger().WithName(controller)
	return func(r *R) logr.Logger {
		if r == nil {
			return log
		}
		return log.WithValues(key, name(*r))
	}
}

// Stack returns the calls that led to a defect as key and value of a log entry; nil for any other error, and for
// nil.
func Stack(err error) []any {
	failure, ok := errors.AsType[*script.Error](err)
	if !ok || failure.Code != script.Internal || len(failure.Trace) == 0 {
		return nil
	}
	return []any{"stack", failure.Backtrace()}
}
