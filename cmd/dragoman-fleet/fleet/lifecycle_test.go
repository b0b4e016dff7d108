// SPDX-License-Identifier: Apache-2.0

package fleet_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/kubernetes"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

var _ = Describe("Stop", func() {
	It("leaves no process and no file", func(ctx SpecContext) {
		f := bare(ctx, fleet.Options{Members: []string{"west"}})
		pids := processes(ctx, f.Dir())
		Expect(pids).To(HaveLen(3))

		Expect(f.Stop()).To(Succeed())
		for name, pid := range pids {
			Expect(alive(pid)).To(BeFalse(), "%s (process %d) is still there", name, pid)
		}
		Expect(f.Dir()).NotTo(BeAnExistingFile())
		Expect(f.Stop()).To(Succeed(), "a second Stop changes nothing")
	})

	It("leaves the files when it shall, and the next fleet clears them", func(ctx SpecContext) {
		dir := filepath.Join(GinkgoT().TempDir(), "fleet")
		kept := bare(ctx, fleet.Options{Dir: dir, KeepDir: true})
		Expect(kept.Stop()).To(Succeed())
		Expect(filepath.Join(dir, "logs", "etcd.log")).To(BeAnExistingFile())

		Expect(bare(ctx, fleet.Options{Dir: dir}).Stop()).To(Succeed())
		Expect(dir).NotTo(BeAnExistingFile())
	})
})

var _ = Describe("a paused API server", func() {
	It("accepts connections without an answer until it is resumed, and ends with the fleet", func(ctx SpecContext) {
		f := bare(ctx, fleet.Options{})
		Expect(f.Pause(f.ControlPlane)).To(Succeed())
		config := f.ControlPlane.RESTConfig()
		config.Timeout = 300 * time.Millisecond
		impatient, err := kubernetes.NewForConfig(config)
		Expect(err).NotTo(HaveOccurred())
		_, err = impatient.ServerVersion()
		Expect(err).To(MatchError(context.DeadlineExceeded))

		Expect(f.Resume(f.ControlPlane)).To(Succeed())
		_, err = clientFor(f.ControlPlane).ServerVersion()
		Expect(err).NotTo(HaveOccurred())
		Expect(f.Err()).NotTo(HaveOccurred())

		Expect(f.Pause(f.ControlPlane)).To(Succeed())
		Expect(f.Stop()).To(Succeed())
		Expect(f.Resume(f.ControlPlane)).To(MatchError(ContainSubstring("its API server does not run")))
	})
})

var _ = Describe("the end of the parent", func() {
	It("is the end of the fleet, even by SIGKILL", func(ctx SpecContext) {
		dir := filepath.Join(GinkgoT().TempDir(), "fleet")
		parent := exec.Command(os.Args[0])
		parent.Env = append(os.Environ(), "DRAGOMAN_FLEET_HELPER="+dir)
		parent.Stderr = GinkgoWriter
		out, err := parent.StdoutPipe()
		Expect(err).NotTo(HaveOccurred())
		Expect(parent.Start()).To(Succeed())
		DeferCleanup(func() { _ = parent.Process.Kill() })
		line, _, err := bufio.NewReader(out).ReadLine()
		Expect(err).NotTo(HaveOccurred())
		Expect(string(line)).To(Equal("ready"))
		pids := processes(ctx, dir)
		Expect(pids).To(HaveLen(2))

		Expect(parent.Process.Kill()).To(Succeed())
		_ = parent.Wait()
		for name, pid := range pids {
			Eventually(alive).WithArguments(pid).WithTimeout(timeout).Should(BeFalse(), "%s (process %d)", name, pid)
		}
		_, err = fleet.Inspect(ctx, dir)
		Expect(err).To(MatchError(fleet.ErrNotRunning))
		was, err := fleet.Shutdown(ctx, dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(was).To(BeFalse())
		Expect(dir).NotTo(BeAnExistingFile(), "Shutdown removes what a killed fleet left")
	})
})

var _ = Describe("a folder", func() {
	It("takes one fleet at a time", func(ctx SpecContext) {
		_, err := fleet.StartAPIServers(ctx, fleet.Options{Dir: whole.Dir()})
		Expect(err).To(MatchError(fleet.ErrRunning))
	})

	It("is refused, and left alone, when it holds other things", func(ctx SpecContext) {
		dir := GinkgoT().TempDir()
		thesis := filepath.Join(dir, "thesis.txt")
		Expect(os.WriteFile(thesis, nil, 0o600)).To(Succeed())
		_, err := fleet.StartAPIServers(ctx, fleet.Options{Dir: dir})
		Expect(err).To(MatchError(ContainSubstring("is not empty and holds no fleet")))
		_, err = fleet.Shutdown(ctx, dir)
		Expect(err).NotTo(HaveOccurred())
		Expect(thesis).To(BeAnExistingFile())
	})
})

var _ = Describe("a component", func() {
	It("is started again on other ports when its own are taken", func(ctx SpecContext) {
		taken := occupied()
		var calls atomic.Int32
		f := bare(ctx, fleet.Options{Port: func() (int, error) {
			// etcd asks for three ports (calls 1 to 3; again 4 to 6), the API server for one (7; 8).
			if n := calls.Add(1); n == 1 || n == 7 {
				return taken, nil
			}
			return fleet.FreePort()
		}})
		Expect(calls.Load()).To(BeNumerically(">=", 8), "more where somebody took a free port meanwhile")
		_, err := clientFor(f.ControlPlane).ServerVersion()
		Expect(err).NotTo(HaveOccurred())
	})

	It("fails the start when every port is taken, and nothing is left", func(ctx SpecContext) {
		taken := occupied()
		dir := filepath.Join(GinkgoT().TempDir(), "fleet")
		_, err := fleet.StartAPIServers(ctx, fleet.Options{Dir: dir, Port: func() (int, error) { return taken, nil }})
		Expect(err).To(MatchError(And(ContainSubstring("etcd ended"), ContainSubstring("address already in use"))))
		Expect(dir).NotTo(BeAnExistingFile())
	})

	It("that dies at the start is named, with the end of its log", func(ctx SpecContext) {
		binaries := broken("kube-apiserver", "echo all is lost; exit 3")
		_, err := fleet.StartAPIServers(ctx, fleet.Options{Binaries: binaries})
		Expect(err).To(MatchError(And(
			ContainSubstring("control-plane-kube-apiserver ended: exit status 3"),
			ContainSubstring("all is lost"),
		)))
	})

	It("that dies later is reported", func(ctx SpecContext) {
		f := bare(ctx, fleet.Options{})
		Expect(f.Err()).NotTo(HaveOccurred())
		Expect(syscall.Kill(processes(ctx, f.Dir())["control-plane-kube-apiserver"], syscall.SIGKILL)).To(Succeed())
		Eventually(f.Err).WithTimeout(timeout).Should(MatchError(ContainSubstring("control-plane-kube-apiserver ended: signal: killed")))
		status, err := fleet.Inspect(ctx, f.Dir())
		Expect(err).NotTo(HaveOccurred())
		Expect(status.Problems()).To(ContainElement(ContainSubstring("control-plane-kube-apiserver ended: signal: killed")))
	})

	It("that was never built is named, with the remedy", func(ctx SpecContext) {
		_, err := fleet.Start(ctx, fleet.Options{Binaries: GinkgoT().TempDir()})
		Expect(err).To(MatchError(ContainSubstring("run `make kube`")))
	})
})

var _ = Describe("a start", func() {
	It("that is cancelled leaves nothing", func(ctx SpecContext) {
		dir := filepath.Join(GinkgoT().TempDir(), "fleet")
		short, cancel := context.WithCancel(ctx)
		var calls atomic.Int32
		_, err := fleet.StartAPIServers(short, fleet.Options{Dir: dir, Port: func() (int, error) {
			if calls.Add(1) == 4 { // etcd runs; the API server is about to start
				cancel()
			}
			return fleet.FreePort()
		}})
		Expect(errors.Is(err, context.Canceled)).To(BeTrue(), "got %v", err)
		Expect(dir).NotTo(BeAnExistingFile())
	})
})

// processes returns the process ids of the fleet in dir by component.
func processes(ctx context.Context, dir string) map[string]int {
	GinkgoHelper()
	status, err := fleet.Inspect(ctx, dir)
	Expect(err).NotTo(HaveOccurred())
	pids := make(map[string]int)
	for _, p := range status.Processes {
		Expect(alive(p.PID)).To(BeTrue(), "%s", p.Name)
		pids[p.Name] = p.PID
	}
	return pids
}

// alive reports whether a process runs. An orphan that nobody has waited for yet (a
// zombie) does not.
func alive(pid int) bool {
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
		return !strings.Contains(string(stat), ") Z ")
	}
	return syscall.Kill(pid, 0) == nil
}

// occupied returns a port that is taken until the end of the spec.
func occupied() int {
	GinkgoHelper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(l.Close)
	return l.Addr().(*net.TCPAddr).Port
}

// broken returns a folder with the fleet's binaries, one of which is a shell
// script instead.
func broken(name, script string) string {
	GinkgoHelper()
	good, err := fleet.Binaries()
	Expect(err).NotTo(HaveOccurred())
	entries, err := os.ReadDir(good)
	Expect(err).NotTo(HaveOccurred())
	dir := GinkgoT().TempDir()
	for _, e := range entries {
		if e.Name() != name {
			Expect(os.Symlink(filepath.Join(good, e.Name()), filepath.Join(dir, e.Name()))).To(Succeed())
		}
	}
	Expect(os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700)).To(Succeed())
	return dir
}

var _ = Describe("the store", func() {
	It("is read over HTTP by who has its keys", func(ctx SpecContext) {
		f := bare(ctx, fleet.Options{Members: []string{"west"}})
		address, client, err := f.StoreClient()
		Expect(err).NotTo(HaveOccurred())
		body := `{"key":"` + base64.StdEncoding.EncodeToString([]byte("/west/namespaces/default")) + `"}`
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/v3/kv/range", strings.NewReader(body))
		Expect(err).NotTo(HaveOccurred())
		response, err := client.Do(request)
		Expect(err).NotTo(HaveOccurred())
		defer response.Body.Close() //nolint:errcheck // it was only read
		Expect(response).To(HaveHTTPStatus(http.StatusOK))
		Expect(response).To(HaveHTTPBody(ContainSubstring(`"count":"1"`)))
	})
})
