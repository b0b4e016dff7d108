// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"
)

// recordedFile holds programs and what Lua 5.1.5 printed: a line "> statement" and behind
// it its output, and an empty line behind each program.
const recordedFile = "test/differential/testdata/recorded.txt"

// record writes programs and their outputs to recordedFile of the module, which is the
// working directory.
func record(programs []program, outputs [][]string) error {
	var b bytes.Buffer
	for i, p := range programs {
		for j, statement := range p {
			fmt.Fprintf(&b, "> %s\n%s\n", statement, line(outputs[i], j))
		}
		b.WriteByte('\n')
	}
	return os.WriteFile(recordedFile, b.Bytes(), 0o644)
}

// readRecorded returns the programs of a file and their outputs.
func readRecorded(file string) (programs []program, outputs [][]string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, err
	}
	for chunk := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		var p program
		var output []string
		scanner := bufio.NewScanner(strings.NewReader(chunk))
		for scanner.Scan() {
			if statement, ok := strings.CutPrefix(scanner.Text(), "> "); ok {
				p = append(p, statement)
			} else {
				output = append(output, scanner.Text())
			}
		}
		programs, outputs = append(programs, p), append(outputs, output)
	}
	return programs, outputs, nil
}
