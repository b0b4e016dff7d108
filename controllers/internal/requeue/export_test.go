// SPDX-License-Identifier: Apache-2.0

package requeue

// Size returns how many subjects are remembered.
func (t *Trail) Size() int { return len(t.steps) }
