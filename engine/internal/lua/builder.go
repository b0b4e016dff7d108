// SPDX-License-Identifier: Apache-2.0

package lua

// builder makes a string piece by piece in the machine's buffer, and pays for
// each piece before it grows.
type builder struct {
	vm    *machine
	bytes []byte
}

// builder borrows the buffer of the machine. While it is lent, another builder
// gets memory of its own.
func (vm *machine) builder() *builder {
	b := &builder{vm: vm, bytes: vm.buffer[:0]}
	vm.buffer = nil
	return b
}

// write appends s.
func (b *builder) write(s string) {
	b.room(len(s))
	b.bytes = append(b.bytes, s...)
}

// writeByte appends one byte.
func (b *builder) writeByte(c byte) {
	b.room(1)
	b.bytes = append(b.bytes, c)
}

// room pays for n more bytes.
func (b *builder) room(n int) {
	if len(b.bytes)+n > b.vm.limits.String {
		b.vm.allocateText(int64(len(b.bytes) + n))
	}
	b.vm.allocate(int64(n))
}

// string returns what was written, and releases the buffer of the machine.
func (b *builder) string() string {
	b.vm.allocateText(int64(len(b.bytes)))
	s := string(b.bytes)
	b.vm.buffer = b.bytes
	return s
}
