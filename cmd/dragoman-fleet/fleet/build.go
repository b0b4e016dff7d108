// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// program is one Go program that the fleet starts, by its own name or by several others.
type program struct {
	name    string // file name in the folder of binaries
	module  string // folder below test/ whose go.mod pins all versions
	pkg     string // main package, as the go command takes it in that folder
	release string // module of Kubernetes, whose version it reports; none if empty
	// binaries are the names of the symbolic links to it; none if it is started by its own.
	binaries []string
}

// programs are all that a fleet starts, in the order of building. Kwok needs other versions
// of the libraries of Kubernetes than the servers.
var programs = []program{
	{"kube", "kube", ".", "k8s.io/kubernetes", []string{
		"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl",
	}},
	{"kwok", "kwok", "sigs.k8s.io/kwok/cmd/kwok", "", nil},
}

// others are the servers of members that run another version of Kubernetes, by that version.
var others = map[string]program{
	"1.29": {"kube", "kube-1.29", ".", "k8s.io/kubernetes", servers},
}

// provides returns the names by which a program is started.
func (p program) provides() []string {
	if len(p.binaries) == 0 {
		return []string{p.name}
	}
	return p.binaries
}

// modulePath marks the go.mod at the root of this repository.
const modulePath = "module github.com/dragoman-io/dragoman"

// Root returns the root of this repository: the nearest folder, from the working
// directory upwards, whose go.mod is that of Dragoman.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if first, _, _ := bytes.Cut(mod, []byte("\n")); err == nil && strings.TrimSpace(string(first)) == modulePath {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not inside the Dragoman repository", start)
		}
	}
}

// Build builds the binaries of a fleet in <root>/bin/kube from the modules test/kube and
// test/kwok, and writes its progress to out: in one line when out is a terminal. etcd and
// those of Kubernetes are one program, and a symbolic link to it for each. What was built
// from the same source, go.mod, go.sum and flags is left alone. The first time takes
// minutes. Several processes may call it: one builds, the others wait. A failed or
// cancelled build leaves the binaries finished so far, and a later one goes on from the
// packages that were compiled.
func Build(ctx context.Context, root string, out io.Writer) error {
	return ensure(ctx, programs, root, "kube", out)
}

// BuildServers builds the servers of a member that runs another version of Kubernetes, such as 1.29,
// in <root>/bin/kube-<version>, as Build does. Options.Servers takes that folder.
func BuildServers(ctx context.Context, version, root string, out io.Writer) error {
	p, known := others[version]
	if !known {
		return fmt.Errorf("servers of Kubernetes %q: there are those of %s", version, strings.Join(slices.Sorted(maps.Keys(others)), ", "))
	}
	return ensure(ctx, []program{p}, root, "kube-"+version, out)
}

// ensure builds programs in a folder of <root>/bin unless they are there.
func ensure(ctx context.Context, all []program, root, folder string, out io.Writer) error {
	dir := filepath.Join(root, "bin", folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	lock, err := waitLock(ctx, filepath.Join(dir, ".lock"), func() {
		fmt.Fprintf(out, "another process builds in %s; waiting for it\n", dir)
	})
	if err != nil {
		return err
	}
	defer lock.Close()

	binaries := 0
	for _, p := range all {
		if err := p.ensure(ctx, root, dir, out); err != nil {
			return fmt.Errorf("build %s: %w", p.name, err)
		}
		binaries += len(p.provides())
	}
	fmt.Fprintf(out, "%d binaries in %s are up to date\n", binaries, dir)
	return nil
}

// ensure builds the program in dir unless it is there.
func (p program) ensure(ctx context.Context, root, dir string, out io.Writer) error {
	src := filepath.Join(root, "test", p.module)
	stamp, err := p.stamp(src)
	if err != nil || p.isCurrent(dir, stamp) {
		return err
	}
	fmt.Fprintf(out, "building %s\n", strings.Join(p.provides(), ", "))
	began := time.Now()
	if err := p.build(ctx, src, dir, stamp, out); err != nil {
		return err
	}
	fmt.Fprintf(out, "built in %.0f s\n", time.Since(began).Seconds())
	return nil
}

// isCurrent reports whether dir has all binaries, built with this stamp.
func (p program) isCurrent(dir, stamp string) bool {
	old, err := os.ReadFile(p.stampFile(dir))
	if err != nil || string(old) != stamp {
		return false
	}
	for _, name := range p.binaries {
		if target, err := os.Readlink(filepath.Join(dir, name)); err != nil || target != p.name {
			return false
		}
	}
	_, err = os.Stat(filepath.Join(dir, p.name))
	return err == nil
}

// build makes the program in dir from the module in src, then the links to it, and then
// its stamp.
func (p program) build(ctx context.Context, src, dir, stamp string, out io.Writer) error {
	target := filepath.Join(dir, p.name)
	fresh := target + ".new" // renamed at the end: no one sees half a program
	defer os.Remove(fresh)
	if err := p.compile(ctx, src, fresh, out); err != nil {
		return err
	}
	if err := os.Rename(fresh, target); err != nil {
		return err
	}
	for _, name := range p.binaries {
		if err := link(p.name, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return os.WriteFile(p.stampFile(dir), []byte(stamp), 0o644)
}

// link makes path a symbolic link to target, whatever it was before.
func link(target, path string) error {
	fresh := path + ".new"
	defer os.Remove(fresh)
	_ = os.Remove(fresh) // of a process that was killed
	if err := os.Symlink(target, fresh); err != nil {
		return err
	}
	return os.Rename(fresh, path)
}

func (p program) stampFile(dir string) string { return filepath.Join(dir, "."+p.name+".stamp") }

// stamp changes whenever a program of the module in src would come out different.
func (p program) stamp(src string) (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, p, compileFlags, strip, setVersion)
	files, err := filepath.Glob(filepath.Join(src, "*.go"))
	if err != nil {
		return "", err
	}
	for _, path := range append(files, filepath.Join(src, "go.mod"), filepath.Join(src, "go.sum")) {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(hash, filepath.Base(path), len(data))
		hash.Write(data)
	}
	return fmt.Sprintf("%x\n", hash.Sum(nil)), nil
}
