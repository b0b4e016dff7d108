// SPDX-License-Identifier: Apache-2.0

package lua

import (
	"fmt"
	"strings"
	"time"
)

func osLibrary() *library {
	return newLibrary("os", []*native{
		{name: "date", one: osDate},
		{name: "difftime", one: osDifftime},
		{name: "time", one: osTime},
	})
}

// osTime returns the time of the call, or that of a table with year, month, day
// and the like, in seconds since 1970. All times are UTC.
func osTime(c call) any {
	if c.arg(0) == nil {
		return c.vm.call.Time().Unix()
	}
	t := c.table(0)
	part := func(key string, otherwise int) int {
		n, ok := c.vm.number(t.getField(key))
		if !ok {
			if otherwise < 0 {
				c.fail("field '%s' missing in date table", key)
			}
			return otherwise
		}
		f := float(n)
		if f != f {
			return 0
		}
		return int(min(max(f, -1e6), 1e6))
	}
	at := time.Date(part("year", -1), time.Month(part("month", -1)), part("day", -1), part("hour", 12), part("min", 0), part("sec", 0), 0, time.UTC)
	return at.Unix()
}

func osDifftime(c call) any {
	if c.arg(1) == nil {
		return c.number(0)
	}
	return calculate('-', c.number(0), c.number(1))
}

// maxSeconds bounds the times that os.date takes: the year 9999.
const maxSeconds = 253402300799

// osDate formats a time, that of the call by default, in UTC. The format is
// that of C's strftime; "*t" returns a table.
func osDate(c call) any {
	format := "%c"
	if c.arg(0) != nil {
		format = c.text(0)
	}
	seconds := c.integerOr(1, c.vm.call.Time().Unix())
	if seconds < -maxSeconds || seconds > maxSeconds {
		c.bad(1, "time out of range")
	}
	at := time.Unix(seconds, 0).UTC()
	if rest, ok := strings.CutPrefix(format, "!"); ok {
		at, format = at.In(greenwich), rest
	}
	if strings.HasPrefix(format, "*t") {
		return c.dateTable(at)
	}
	out := c.vm.builder()
	for conversions := 1; format != ""; conversions++ {
		i := strings.IndexByte(format, '%')
		if i < 0 || i+1 == len(format) {
			out.write(format)
			break
		}
		if conversions > freeDirectives {
			c.vm.charge(1)
		}
		out.write(format[:i])
		conversion, rest := conversionOf(format[i+1:])
		s, ok := datePart(at, conversion)
		if !ok {
			c.fail("invalid conversion '%%%c' to 'os.date'", conversion)
		}
		out.write(s)
		format = rest
	}
	return out.string()
}

// greenwich is UTC by the name that a format with "!" has for it.
var greenwich = time.FixedZone("GMT", 0)

// conversionOf returns the letter of a conversion after its %, and the rest of the
// format. The modifiers E and O mean nothing in the locale of C.
func conversionOf(s string) (conversion byte, rest string) {
	if (s[0] == 'E' || s[0] == 'O') && len(s) > 1 {
		s = s[1:]
	}
	return s[0], s[1:]
}

// dateTable returns the parts of a time.
func (c call) dateTable(at time.Time) any {
	t := c.vm.tables.new()
	for _, p := range []struct {
		key   string
		value int
	}{
		{"year", at.Year()},
		{"month", int(at.Month())},
		{"day", at.Day()},
		{"hour", at.Hour()},
		{"min", at.Minute()},
		{"sec", at.Second()},
		{"wday", int(at.Weekday()) + 1},
		{"yday", at.YearDay()},
	} {
		t.setField(p.key, int64(p.value))
	}
	t.setField("isdst", false)
	return t
}

// dateLayouts are the conversions that Go's layouts know.
func dateLayout(conversion byte) string {
	switch conversion {
	case 'a':
		return "Mon"
	case 'A':
		return "Monday"
	case 'b', 'h':
		return "Jan"
	case 'B':
		return "January"
	case 'c':
		return "Mon Jan _2 15:04:05 2006"
	case 'd':
		return "02"
	case 'D', 'x':
		return "01/02/06"
	case 'e':
		return "_2"
	case 'F':
		return "2006-01-02"
	case 'H':
		return "15"
	case 'I':
		return "03"
	case 'j':
		return "002"
	case 'm':
		return "01"
	case 'M':
		return "04"
	case 'p':
		return "PM"
	case 'P':
		return "pm"
	case 'r':
		return "03:04:05 PM"
	case 'R':
		return "15:04"
	case 'S':
		return "05"
	case 'T', 'X':
		return "15:04:05"
	case 'y':
		return "06"
	case 'Y':
		return "2006"
	case 'z':
		return "-0700"
	case 'Z':
		return "MST"
	}
	return ""
}

// weekPart formats a conversion that counts by the weeks of ISO 8601, else returns "".
func weekPart(at time.Time, conversion byte) string {
	year, week := at.ISOWeek()
	switch conversion {
	case 'V':
		return fmt.Sprintf("%02d", week)
	case 'G':
		return fmt.Sprint(year)
	case 'g':
		return fmt.Sprintf("%02d", ((year%100)+100)%100)
	}
	return ""
}

// datePart formats one conversion of strftime.
func datePart(at time.Time, conversion byte) (string, bool) {
	switch conversion {
	case '%':
		return "%", true
	case 'n':
		return "\n", true
	case 't':
		return "\t", true
	case 's':
		return fmt.Sprint(at.Unix()), true
	case 'w':
		return fmt.Sprint(int(at.Weekday())), true
	case 'u':
		return fmt.Sprint((int(at.Weekday())+6)%7 + 1), true
	case 'C':
		return fmt.Sprintf("%02d", at.Year()/100), true
	case 'k':
		return fmt.Sprintf("%2d", at.Hour()), true
	case 'l':
		return fmt.Sprintf("%2d", (at.Hour()+11)%12+1), true
	case 'U':
		return fmt.Sprintf("%02d", (at.YearDay()+6-int(at.Weekday()))/7), true
	case 'W':
		return fmt.Sprintf("%02d", (at.YearDay()+6-(int(at.Weekday())+6)%7)/7), true
	}
	if s := weekPart(at, conversion); s != "" {
		return s, true
	}
	layout := dateLayout(conversion)
	return at.Format(layout), layout != ""
}
