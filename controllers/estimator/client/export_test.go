// SPDX-License-Identifier: Apache-2.0

package client

// Waiting returns how many questions to a cluster wait for the next request.
func Waiting(b *Batcher, cluster string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.lines[cluster]; l != nil {
		return len(l.waiting)
	}
	return 0
}
