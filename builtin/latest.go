// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"cmp"
	"errors"
	"time"
)

// latest is kube.latest.
func latest() Function {
	return extremum("latest", "Returns the latest time, or the greatest number, that a field of status has over the clusters: latest(items, \"completionTime\"). The field is a path as get takes it. Times are in the form of RFC 3339, compared as times. It is nil where no cluster has the field.", 1)
}

// earliest is kube.earliest.
func earliest() Function {
	return extremum("earliest", "Returns the earliest time, or the least number, that a field of status has over the clusters; see latest.", -1)
}

// extremum returns a function that picks the greatest value for sign 1, the least for -1;
// of equal ones that of the first cluster by name.
func extremum(name, doc string, sign int) Function {
	return checked(Function{
		Name:   name,
		Params: []Param{{Name: "items", Type: "list", Optional: true}, {Name: "field", Type: "path", constant: constantPath}},
		Result: "string or number or nil",
		Doc:    doc,
	}, func(args []any, m Meter) (any, error) {
		all, err := members(arg(args, 0), memberGas, m)
		if err != nil {
			return refused(m, err)
		}
		path, err := asPath(arg(args, 1), m)
		if err == nil {
			err = payReads([]fieldPath{path}, len(all), m)
		}
		if err != nil {
			return refused(m, err)
		}
		return extremeValue(all, path, sign)
	})
}

// extremeValue returns the greatest or least value at path, by sign.
func extremeValue(all []member, path fieldPath, sign int) (any, error) {
	var best any
	var most timeOrNumber
	for _, m := range all {
		v := path.in(m.status)
		if v == nil {
			continue
		}
		at, ok := parseTimeOrNumber(v)
		if !ok {
			return nil, m.wrong(path.String(), "a time or a number", v)
		}
		if best != nil && at.isTime != most.isTime {
			return nil, errors.New(path.String() + " is a time in one cluster and a number in another")
		}
		if best == nil || at.compare(most)*sign > 0 {
			best, most = v, at
		}
	}
	return best, nil
}

// timeOrNumber is a time or a number.
type timeOrNumber struct {
	isTime bool
	time   time.Time
	number any
}

// maxTime is the length of the longest text that is read as a time.
const maxTime = 64

func parseTimeOrNumber(v any) (timeOrNumber, bool) {
	switch x := v.(type) {
	case string:
		if len(x) > maxTime {
			return timeOrNumber{}, false
		}
		t, err := time.Parse(time.RFC3339, x)
		return timeOrNumber{isTime: true, time: t}, err == nil
	case int64:
		return timeOrNumber{number: x}, true
	case float64:
		return timeOrNumber{number: x}, x == x
	}
	return timeOrNumber{}, false
}

// compare compares two times, or two numbers.
func (m timeOrNumber) compare(other timeOrNumber) int {
	if m.isTime {
		return m.time.Compare(other.time)
	}
	a, ok := m.number.(int64)
	b, ok2 := other.number.(int64)
	if ok && ok2 {
		return cmp.Compare(a, b)
	}
	return cmp.Compare(float(m.number), float(other.number))
}
