// SPDX-License-Identifier: Apache-2.0

package attack_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// launches is the variable that makes this test program start its arguments as a command,
// and write what the command used to the file that it names. The kernel counts what the
// starting process holds as memory of the one that it starts, and the tests hold large
// objects.
const launches = "DRAGOMAN_TEST_LAUNCHES"

// usage is what a process used.
type usage struct {
	// Peak is the most memory that it held, in bytes.
	Peak int64
	Took time.Duration
}

// launch starts a command and exits as it does.
func launch(file string, command []string) {
	runtime.LockOSThread() // the death signal comes when the thread that started it ends
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Run(); cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	text, err := json.Marshal(usage{Peak: used.Maxrss << 10, Took: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()})
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if code := cmd.ProcessState.ExitCode(); code >= 0 {
		os.Exit(code)
	}
	os.Exit(9) // a signal ended it
}

func readUsage(t *testing.T, file string) usage {
	t.Helper()
	var used usage
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &used)
	}
	if err != nil {
		t.Fatal(err)
	}
	return used
}
