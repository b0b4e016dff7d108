// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing/fstest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/engine/bundle"
	"github.com/dragoman-io/dragoman/test/fixture"
)

// brokenHealth is a ConfigMap with a bundle: no Deployment is healthy, and each has 41 replicas.
var brokenHealth = map[string]string{
	"bundle.yaml": `apiVersion: interpreter.dragoman.io/v1alpha1
kind: Bundle
metadata: {name: deployments}
spec:
  kinds: [{group: apps, versions: [v1], kind: Deployment}]
`,
	"Deployment.health.lua": "function InterpretHealth(obj)\n  return false\nend\n",
	"Deployment.status.lua": "function ReflectStatus(obj)\n  return { replicas = 41 }\nend\n",
}

// mount puts a version of a ConfigMap into a folder as the kubelet does: links for its
// keys lead through ..data, which is swapped at once.
func mount(dir, version string, data map[string]string) {
	GinkgoHelper()
	Expect(os.MkdirAll(filepath.Join(dir, version), 0o750)).To(Succeed())
	for key, text := range data {
		Expect(os.WriteFile(filepath.Join(dir, version, key), []byte(text), 0o600)).To(Succeed())
		if _, err := os.Lstat(filepath.Join(dir, key)); os.IsNotExist(err) {
			Expect(os.Symlink(filepath.Join("..data", key), filepath.Join(dir, key))).To(Succeed())
		}
	}
	next := filepath.Join(dir, "..data_tmp")
	Expect(os.Symlink(version, next)).To(Succeed())
	Expect(os.Rename(next, filepath.Join(dir, "..data"))).To(Succeed())
}

// brokenHealthRevision returns the revision of the bundle in brokenHealth.
func brokenHealthRevision() string {
	GinkgoHelper()
	files := fstest.MapFS{}
	for key, name := range map[string]string{
		"bundle.yaml": "bundle.yaml", "Deployment.health.lua": "Deployment/health.lua", "Deployment.status.lua": "Deployment/status.lua",
	} {
		files["deployments/"+name] = &fstest.MapFile{Data: []byte(brokenHealth[key])}
	}
	revision, err := bundle.Revision(files, "deployments")
	Expect(err).NotTo(HaveOccurred())
	return revision
}

// installed reads from the metrics what became of installed bundles: times by result. Other specs
// install bundles too, and await their removal, so that differences are those of a spec.
func installed(ctx context.Context, g Gomega) map[string]int {
	text, err := env.Metrics(ctx)
	g.Expect(err).NotTo(HaveOccurred())
	times := map[string]int{}
	for _, result := range []string{"activated", "refused", "removed"} {
		_, rest, found := strings.Cut(text, fmt.Sprintf("\ndragoman_interpreter_sources_total{layer=\"installed\",result=%q} ", result))
		if !found {
			continue
		}
		line, _, _ := strings.Cut(rest, "\n")
		n, err := strconv.ParseFloat(line, 64)
		g.Expect(err).NotTo(HaveOccurred())
		times[result] = int(n)
	}
	return times
}

var _ = Describe("a bundle in the folder of the manager", func() {
	It("answers before the embedded one as long as it is there, for objects that were there before", func(ctx SpecContext) {
		space := env.Namespace(ctx)
		env.Apply(ctx, space, duplicated)
		Expect(env.Hub.Create(ctx, fixture.Nginx(space, 2))).To(Succeed())
		seen := func(g Gomega, health workv1alpha2.ResourceHealth, replicas int) {
			b, err := env.Binding(ctx, space, "nginx-deployment")()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(b.Status.AggregatedStatus).To(HaveLen(3))
			for _, item := range b.Status.AggregatedStatus {
				g.Expect(item.Health).To(Equal(health))
				g.Expect(string(item.Status.Raw)).To(MatchRegexp(`"replicas":%d\b`, replicas))
			}
		}
		Eventually(seen).WithArguments(workv1alpha2.ResourceHealthy, 2).Should(Succeed())
		copies := func() (all []string) {
			for _, m := range env.Members {
				d := &appsv1.Deployment{}
				Expect(env.At(m.Name).Get(ctx, client.ObjectKey{Namespace: space, Name: "nginx"}, d)).To(Succeed())
				all = append(all, d.ResourceVersion)
			}
			return all
		}
		before := copies()
		active := fmt.Sprintf("dragoman_interpreter_active_revision{layer=\"installed\",name=\"deployments\",revision=%q} 1\n", brokenHealthRevision())
		times := installed(ctx, Default)
		// An answer of new rules is counted a moment after the engine has them.
		counted := func(isActive OmegaMatcher) {
			GinkgoHelper()
			Eventually(func(g Gomega) {
				g.Expect(env.Metrics(ctx)).To(isActive)
				g.Expect(installed(ctx, g)).To(Equal(times))
			}).Should(Succeed())
		}

		By("dropping the bundle into the folder")
		coming, dir, gone := filepath.Join(bundles, ".coming"), filepath.Join(bundles, "deployments"), filepath.Join(bundles, ".gone")
		DeferCleanup(func() { Expect(os.RemoveAll(dir)).To(Succeed()) })
		mount(coming, "..2026_01_01", brokenHealth)
		Expect(os.Rename(coming, dir)).To(Succeed())
		Eventually(seen).WithArguments(workv1alpha2.ResourceUnhealthy, 41).Should(Succeed())
		Expect(copies()).To(Equal(before))
		times["activated"]++
		counted(ContainSubstring(active))

		By("swapping in a revision that is broken")
		broken := maps.Clone(brokenHealth)
		broken["Deployment.health.lua"] = "function InterpretHealth(obj)\n  return obj..\nend\n"
		mount(dir, "..2026_01_02", broken)
		Eventually(func() (string, error) {
			text, err := os.ReadFile(env.Log)
			return string(text), err
		}).Should(MatchRegexp(`"refused bundle".*"reason":"deployments/Deployment/health.lua:[23]:.*"active":"%s"`, brokenHealthRevision()))
		times["refused"]++
		counted(ContainSubstring(active))
		Consistently(seen, time.Second).WithArguments(workv1alpha2.ResourceUnhealthy, 41).Should(Succeed())

		By("taking the folder away")
		Expect(os.Rename(dir, gone)).To(Succeed())
		Eventually(seen).WithArguments(workv1alpha2.ResourceHealthy, 2).Should(Succeed())
		Expect(copies()).To(Equal(before))
		times["removed"]++
		counted(Not(ContainSubstring(`active_revision{layer="installed",name="deployments"`)))
	}, NodeTimeout(10*time.Minute))
})
