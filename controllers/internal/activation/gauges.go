// SPDX-License-Identifier: Apache-2.0

package activation

// watch sets what the gauges of memory and of the queue are read from.
func (m *metrics) watch(programMemory func() (used, bound int64), waiting func() int) {
	if m == nil {
		return
	}
	m.programMemory.Store(&programMemory)
	m.waiting.Store(&waiting)
}

func (m *metrics) programBytes() float64 {
	if f := m.programMemory.Load(); f != nil {
		used, _ := (*f)()
		return float64(used)
	}
	return 0
}

func (m *metrics) programBytesLimit() float64 {
	if f := m.programMemory.Load(); f != nil {
		_, bound := (*f)()
		return float64(bound)
	}
	return 0
}

func (m *metrics) waitingSources() float64 {
	if f := m.waiting.Load(); f != nil {
		return float64((*f)())
	}
	return 0
}
