// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// compileFlags leave out what debuggers need, which takes a seventh of the compiler's
// time. The standard library keeps it, to be compiled once for Dragoman too.
var compileFlags = []string{"-trimpath", "-gcflags=all=-dwarf=false", "-gcflags=std="}

// strip are the flags of the linker for a program without symbols.
const strip = "-s -w"

// setVersion are those that set the version of Kubernetes, which a build from modules
// does not know.
var setVersion = []string{
	"-X k8s.io/component-base/version.gitVersion=%[1]s",
	"-X k8s.io/component-base/version.gitMajor=%[2]s",
	"-X k8s.io/component-base/version.gitMinor=%[3]s",
	"-X k8s.io/component-base/version.gitTreeState=clean",
	"-X k8s.io/client-go/pkg/version.gitVersion=%[1]s",
}

// goEnvironment has the compilers and the linker collect garbage only past 1 GiB each:
// most of them end before, and collecting takes a quarter of their time.
var goEnvironment = []string{"CGO_ENABLED=0", "GOWORK=off", "GOGC=off", "GOMEMLIMIT=1GiB"}

// compile builds the main package of the module in src as the file target.
func (p program) compile(ctx context.Context, src, target string, out io.Writer) error {
	progress := newProgress(out)
	defer progress.end()

	// This downloads the modules, too.
	list := slices.Concat([]string{"list", "-deps", "-f", "{{if .Stale}}{{.ImportPath}}{{end}}"}, compileFlags, []string{p.pkg})
	stale, err := goTool(ctx, src, progress.downloads, list...)
	if err != nil {
		return err
	}
	flags, err := p.linkFlags(ctx, src)
	if err != nil {
		return err
	}
	progress.compile(strings.Fields(stale))
	build := slices.Concat([]string{"build", "-v", "-ldflags", flags, "-o", target}, compileFlags, []string{p.pkg})
	_, err = goTool(ctx, src, progress.compiles, build...)
	return err
}

// linkFlags returns the flags of the linker for the module in src.
func (p program) linkFlags(ctx context.Context, src string) (string, error) {
	if p.release == "" {
		return strip, nil
	}
	out, err := goTool(ctx, src, nil, "list", "-m", "-f", "{{.Version}}", p.release)
	if err != nil {
		return "", err
	}
	version := strings.TrimSpace(out) // v1.36.3
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) != 3 {
		return "", fmt.Errorf("version %q of %s in %s: want vX.Y.Z", version, p.release, src)
	}
	return strip + " " + fmt.Sprintf(strings.Join(setVersion, " "), version, parts[0], parts[1]), nil
}

// goTool runs the go command in the module folder dir and returns its output. It calls
// isProgress, if any, with each line of its error output; those for which that is false
// are the text of the error.
func goTool(ctx context.Context, dir string, isProgress func(line string) bool, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), goEnvironment...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its compilers and removes their files
	cmd.WaitDelay = 10 * time.Second
	var stdout bytes.Buffer
	messages := &lines{take: isProgress}
	cmd.Stdout, cmd.Stderr = &stdout, messages
	err := cmd.Run()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", fmt.Errorf("go %s in %s: %w\n%s", args[0], dir, err, bytes.TrimSpace(messages.kept))
	}
	return stdout.String(), err
}

// lines is a writer that keeps the lines which take, if any, does not.
type lines struct {
	take func(line string) bool
	part []byte // of a line without its end yet
	kept []byte
}

func (l *lines) Write(text []byte) (int, error) {
	l.part = append(l.part, text...)
	for {
		line, rest, isWhole := bytes.Cut(l.part, []byte("\n"))
		if !isWhole {
			return len(text), nil
		}
		if l.take == nil || !l.take(string(line)) {
			l.kept = append(append(l.kept, line...), '\n')
		}
		l.part = rest
	}
}
