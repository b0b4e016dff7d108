// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// binary is one program of the fleet: where its source is, and how it is linked.
type binary struct {
	name   string // file name in the folder of binaries
	module string // folder below test/ whose go.mod pins its version
	pkg    string // package to build
}

// binaries are all programs of a fleet, in the order of building.
var binaries = []binary{
	{"etcd", "kube", "go.etcd.io/etcd/server/v3"},
	{"kube-apiserver", "kube", "k8s.io/kubernetes/cmd/kube-apiserver"},
	{"kube-controller-manager", "kube", "k8s.io/kubernetes/cmd/kube-controller-manager"},
	{"kube-scheduler", "kube", "k8s.io/kubernetes/cmd/kube-scheduler"},
	{"kubectl", "kube", "k8s.io/kubernetes/cmd/kubectl"},
	{"kwok", "kwok", "sigs.k8s.io/kwok/cmd/kwok"},
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

// Build builds the binaries of a fleet in <root>/bin/kube, from the modules test/kube and
// test/kwok, one at a time, and writes its progress to out. A binary that was built from
// the same go.mod, go.sum and flags is left alone. The first time takes minutes. Several
// processes may call it: one builds, the others wait. A failed or cancelled build leaves
// the binaries finished so far.
func Build(ctx context.Context, root string, out io.Writer) error {
	dir := filepath.Join(root, "bin", "kube")
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

	for i, b := range binaries {
		src := filepath.Join(root, "test", b.module)
		stamp, err := b.stamp(src)
		if err != nil {
			return fmt.Errorf("build %s: %w", b.name, err)
		}
		if b.isCurrent(dir, stamp) {
			continue
		}
		fmt.Fprintf(out, "building %s (%d of %d) ", b.name, i+1, len(binaries))
		began := time.Now()
		if err := b.build(ctx, src, dir, stamp); err != nil {
			fmt.Fprintln(out)
			return fmt.Errorf("build %s: %w", b.name, err)
		}
		fmt.Fprintf(out, "%.0f s\n", time.Since(began).Seconds())
	}
	fmt.Fprintf(out, "%d binaries in %s are up to date\n", len(binaries), dir)
	return nil
}

// isCurrent reports whether dir has the binary, built with this stamp.
func (b binary) isCurrent(dir, stamp string) bool {
	old, err := os.ReadFile(filepath.Join(dir, "."+b.name+".stamp"))
	if err != nil || string(old) != stamp {
		return false
	}
	_, err = os.Stat(filepath.Join(dir, b.name))
	return err == nil
}

// build makes the binary in dir from the module in src, and then its stamp.
func (b binary) build(ctx context.Context, src, dir, stamp string) error {
	flags, err := b.ldflags(ctx, src)
	if err != nil {
		return err
	}
	target := filepath.Join(dir, b.name)
	fresh := target + ".new" // renamed at the end: no one sees half a binary
	defer os.Remove(fresh)
	if _, err := goTool(ctx, src, "build", "-trimpath", "-ldflags", flags, "-o", fresh, b.pkg); err != nil {
		return err
	}
	if err := os.Rename(fresh, target); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "."+b.name+".stamp"), []byte(stamp), 0o644)
}

// stamp changes whenever a binary of the module in src would come out different.
func (b binary) stamp(src string) (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, b, linkFlags)
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(src, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintln(hash, len(data))
		hash.Write(data)
	}
	return fmt.Sprintf("%x\n", hash.Sum(nil)), nil
}

// linkFlags strip the binaries, and set the version of Kubernetes, which a build from
// modules does not know.
var linkFlags = []string{
	"-s -w",
	"-X k8s.io/component-base/version.gitVersion=%[1]s",
	"-X k8s.io/component-base/version.gitMajor=%[2]s",
	"-X k8s.io/component-base/version.gitMinor=%[3]s",
	"-X k8s.io/component-base/version.gitTreeState=clean",
	"-X k8s.io/client-go/pkg/version.gitVersion=%[1]s",
}

func (b binary) ldflags(ctx context.Context, src string) (string, error) {
	if !strings.HasPrefix(b.pkg, "k8s.io/kubernetes/") {
		return linkFlags[0], nil
	}
	out, err := goTool(ctx, src, "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
	if err != nil {
		return "", err
	}
	version := strings.TrimSpace(out) // v1.36.3
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) != 3 {
		return "", fmt.Errorf("version %q of k8s.io/kubernetes in %s: want vX.Y.Z", version, src)
	}
	return fmt.Sprintf(strings.Join(linkFlags, " "), version, parts[0], parts[1]), nil
}

// goTool runs the go command in the module folder dir and returns its output.
func goTool(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", fmt.Errorf("go %s in %s: %w\n%s", args[0], dir, err, bytes.TrimSpace(failed.Stderr))
	}
	return string(out), err
}
