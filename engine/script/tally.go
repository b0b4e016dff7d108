// SPDX-License-Identifier: Apache-2.0

package script

const (
	// StepsPerGas is how many steps of a Tally are one unit of gas.
	StepsPerGas = 8
	// bulkSteps and bulkBytes are what a Tally lets add up before it pays.
	bulkSteps = 1 << 12
	bulkBytes = 64 << 10
	// textStep is how many bytes of text are one step.
	textStep = 64
	// mapSteps is what making a map takes.
	mapSteps = 16
)

// Tally adds up small amounts of work on plain values and pays for them in bulk. Less than
// a bulk altogether is free, so that an answer of usual size costs nothing, and reading it
// calls no Meter. What is paid does not depend on the order in which work is added, so
// that walks over maps cost the same in every run.
type Tally struct {
	Meter Meter

	steps, bytes int64
	// paid reports whether there was a bulk.
	paid bool
}

// Add takes some steps and bytes of memory; it stands before the work that they are for.
// A step is a node of a value that is looked at, some 20 ns.
func (t *Tally) Add(steps, bytes int64) error {
	t.steps += steps
	t.bytes += bytes
	if t.steps < bulkSteps && t.bytes < bulkBytes {
		return nil
	}
	return t.pay()
}

// Text takes the steps for hashing, comparing or copying a text of n bytes.
func (t *Tally) Text(n int) error {
	if n < textStep {
		return nil
	}
	return t.Add(int64(n)/textStep, 0)
}

// Clone takes what a copy of a map costs.
func (t *Tally) Clone(m map[string]any) error {
	if err := t.Add(mapSteps+4*int64(len(m)), MapBytes(len(m))); err != nil {
		return err
	}
	var keys int64
	for key := range m {
		keys += int64(len(key))
	}
	return t.Add(keys/textStep, 0)
}

// Close pays for what is left at the end, unless it is all there was.
func (t *Tally) Close() error {
	if !t.paid {
		return nil
	}
	return t.pay()
}

func (t *Tally) pay() error {
	gas, bytes := t.steps/StepsPerGas, t.bytes
	t.steps, t.bytes, t.paid = t.steps%StepsPerGas, 0, true
	return t.Meter.Pay(gas, bytes)
}

// MapBytes returns the bytes of a map of n entries: a little more than Go takes.
func MapBytes(n int) int64 { return max(384, 80*int64(n)) }

// ListBytes returns the bytes of a list of n items.
func ListBytes(n int) int64 { return 32 + 16*int64(n) }
