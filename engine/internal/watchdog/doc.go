// SPDX-License-Identifier: Apache-2.0

// Package watchdog is the last line behind the accounting of the script languages: it
// runs a task on a goroutine of its own, so that the caller is free again when the task
// does not end within its bound, and decides which tasks are not run any more after that.
// A task that does not end is a defect of the engine; no task that works as it should
// comes near its bound. The package knows neither scripts nor objects.
package watchdog
