// Command fuzz runs every native fuzz target of the module for a while, one after the
// other, and ends at the first that finds something.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

func main() {
	each := flag.Duration("each", 30*time.Second, "time for each target")
	flag.Parse()
	if err := run(*each); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(each time.Duration) error {
	list, err := exec.Command("go", "list", "./...").Output()
	if err != nil {
		return fmt.Errorf("list the packages: %w", err)
	}
	found := 0
	for pkg := range strings.FieldsSeq(string(list)) {
		targets, err := targetsOf(pkg)
		if err != nil {
			return err
		}
		for _, target := range targets {
			found++
			fmt.Printf("%s %s, %s\n", pkg, target, each)
			cmd := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+target+"$", "-fuzztime", each.String(), pkg)
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			if err := cmd.Run(); err != nil {
				return fmt.Errorf("%s in %s found something; its input is kept in testdata/fuzz: %w", target, pkg, err)
			}
		}
	}
	if found == 0 {
		return fmt.Errorf("there is no fuzz target")
	}
	return nil
}

// targetsOf lists the fuzz targets of a package.
func targetsOf(pkg string) ([]string, error) {
	out, err := exec.Command("go", "test", "-list", "^Fuzz", pkg).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("list the targets of %s: %w\n%s", pkg, err, out)
	}
	var targets []string
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "Fuzz") {
			targets = append(targets, lines.Text())
		}
	}
	return targets, nil
}
