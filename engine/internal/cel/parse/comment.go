// SPDX-License-Identifier: Apache-2.0

package parse

// Comments calls f for each comment of a source, with the byte at which it begins. It stops
// where the source has no tokens.
func Comments(source string, f func(at int, text string)) {
	defer func() {
		x := recover()
		if _, isFault := x.(*Error); x != nil && !isFault {
			panic(x)
		}
	}()
	s := scanner{source: source, comment: f}
	for s.scan().kind != end {
	}
}
