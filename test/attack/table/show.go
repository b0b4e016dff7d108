// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dragoman-io/dragoman/test/attack"
)

// show prints the rows by their time, the costliest first, and returns an error if some
// are beyond their bounds.
func show(to io.Writer, rows []row, top int) error {
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(strings.Compare(b.ended, a.ended), cmp.Compare(b.share(), a.share()))
	})
	wrong := 0
	out := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "attack\tform\tcompile ms\tMiB\trun ms\tMiB\tgas\tresult\tbeyond")
	for i, r := range rows {
		if r.wrong() != "" {
			wrong++
		}
		if top > 0 && i >= top {
			continue
		}
		result := string(r.Code)
		if r.Plain {
			result = "refused"
		} else if r.Code == "" && r.ended == "" {
			result = "answer"
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", r.Name, r.attack.Form,
			milliseconds(r.Compile.CPU), mebibytes(r.Compile.Memory), milliseconds(r.Run.CPU), mebibytes(r.Run.Memory), r.Used.Gas, result, r.wrong())
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(to, "%d attacks; bounds: %v and %s MiB for a run, %v and %s MiB for a compilation, %v for a folder; each status item adds %v\n", len(rows),
		attack.MostCPU, mebibytes(attack.MostGrowth), attack.MostCompileCPU, mebibytes(attack.MostCompileGrowth), attack.MostFolderCPU, attack.MostItemCPU)
	if wrong > 0 {
		return fmt.Errorf("%d of %d attacks are beyond their bounds", wrong, len(rows))
	}
	return nil
}

// share is what part of its time the row took.
func (r row) share() float64 {
	compile := time.Duration(attack.MostCompileCPU)
	if r.attack.Form == attack.Folder {
		compile = attack.MostFolderCPU
	}
	return max(float64(r.Compile.CPU)/float64(compile), float64(r.Run.CPU)/float64(r.attack.CPU()))
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()*1e3) }

func mebibytes(n int64) string { return fmt.Sprintf("%.1f", float64(n)/(1<<20)) }
