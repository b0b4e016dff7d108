// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/dragoman-io/dragoman/engine/script"
	"github.com/dragoman-io/dragoman/test/attack"
	"github.com/dragoman-io/dragoman/test/price"
)

// show prints the worst outcome of each subject, the costliest first, and returns an
// error if some are beyond the bounds.
func show(to io.Writer, worst map[string]price.Outcome, top int) error {
	rows := slices.SortedFunc(maps.Values(worst), func(a, b price.Outcome) int { return cmp.Compare(b.Each(), a.Each()) })
	wrong := 0
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "subject\targuments\tns a unit\tgas\tmemory KiB\tCPU ms\theap MiB\tend\t")
	for i, o := range rows {
		note := beyond(o)
		if note != "" {
			wrong++
		}
		if top > 0 && i >= top {
			continue
		}
		fmt.Fprintf(out, "%s\t%s\t%d\t%d\t%d\t%.1f\t%.1f\t%s\t%s\n", o.Name, o.Arguments, o.Each().Nanoseconds(), o.Used.Gas, o.Used.Memory>>10,
			o.CPU.Seconds()*1e3, float64(o.Taken)/(1<<20), end(o.Err), note)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(to, "%d subjects; a unit may take %v\n", len(rows), mostUnit)
	if wrong > 0 {
		return fmt.Errorf("%d of %d subjects are beyond their bounds", wrong, len(rows))
	}
	return nil
}

// beyond returns what is wrong with an outcome, or "".
func beyond(o price.Outcome) string {
	switch {
	case end(o.Err) == string(script.Internal):
		return "internal"
	case o.Each() > mostUnit:
		return "time"
	case o.Taken > attack.MostGrowth:
		return "memory"
	}
	return ""
}

// end returns the code of an error.
func end(err error) string {
	var failure *script.Error
	switch {
	case err == nil:
		return "answer"
	case errors.As(err, &failure):
		return string(failure.Code)
	}
	return "refused"
}
