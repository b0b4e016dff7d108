// SPDX-License-Identifier: Apache-2.0

package failover

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/dragoman-io/dragoman/controllers/decide/simulate"
	"github.com/dragoman-io/dragoman/test/environment"
)

// failedOver is what the command prints of one failover.
type failedOver struct {
	Record struct {
		From, Reason, PurgeMode, Outcome, Message string
		To                                        []string
		State                                     struct{ Labels map[string]string }
	}
	Seconds map[string]float64
	Running string
}

// history returns the failovers of nginx, the newest first, once all have ended.
func history(ctx context.Context, space string) []failedOver {
	GinkgoHelper()
	var all struct{ Failovers []failedOver }
	Eventually(func(g Gomega) {
		all.Failovers = nil
		a, err := env.Dragoman(ctx, "failover", "history", "deployment/nginx", "-n", space, "-o", "json")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(a.Code).To(Equal(0), a.Text)
		g.Expect(json.Unmarshal([]byte(a.Text), &all)).To(Succeed())
		g.Expect(all.Failovers).To(And(Not(BeEmpty()), HaveEach(HaveField("Running", BeEmpty()))))
	}).Should(Succeed())
	return all.Failovers
}

// counted returns how many failovers the manager has counted with these labels.
func counted(ctx context.Context, reason, mode, outcome string) string {
	GinkgoHelper()
	text, err := env.Metrics(ctx)
	Expect(err).NotTo(HaveOccurred())
	series := fmt.Sprintf("dragoman_failover_ended_total{outcome=%q,purge_mode=%q,reason=%q} ", outcome, mode, reason)
	_, after, found := bytes.Cut([]byte(text), []byte(series))
	if !found {
		return ""
	}
	value, _, _ := bytes.Cut(after, []byte("\n"))
	return string(value)
}

var _ = Describe("dragoman failover", func() {
	It("shows an application's failover with its phases and its state", func(ctx SpecContext) {
		space, first := startNginx(ctx, 2, fmt.Sprintf(movable, `{application: {decisionConditions: {tolerationSeconds: 15}, purgeMode: Directly, `+
			`statePreservation: {rules: [{aliasLabelName: `+testAlias+`, jsonPath: "{.replicas}"}]}}}`, "[]"))
		shown := []string{"failover", "history", "deployment/nginx", "-n", space}
		Expect(env.Dragoman(ctx, shown...)).To(Equal(environment.Answer{Text: "Deployment " + space + "/nginx: no failover is on record\n"}))

		before := counted(ctx, "ApplicationFailure", "Directly", "Succeeded")
		env.LosePods(ctx, first, space)
		second := runsOn(ctx, space, first)
		all := history(ctx, space)
		Expect(all).To(HaveLen(1))
		r := all[0].Record
		Expect([]string{r.From, r.Reason, r.PurgeMode, r.Outcome}).To(Equal([]string{first, "ApplicationFailure", "Directly", "Succeeded"}))
		Expect(r.To).To(Equal([]string{second}))
		Expect(r.State.Labels).To(Equal(map[string]string{testAlias: "2"}))
		Expect(all[0].Seconds).To(And(HaveLen(5), HaveEach(BeNumerically(">=", 0)), HaveEach(BeNumerically("<", 120))))
		Expect(all[0].Seconds["detect"]).To(BeNumerically(">=", 15), "what was tolerated")
		Eventually(func() string { return counted(ctx, "ApplicationFailure", "Directly", "Succeeded") }).ShouldNot(Equal(before), "the failover is counted")

		a, err := env.Dragoman(ctx, shown...)
		Expect(err).NotTo(HaveOccurred())
		Expect(a.Text).To(MatchRegexp(`(?m)^20\S+Z +` + first + ` +` + second + ` +ApplicationFailure +Directly +Succeeded .* ` + testAlias + `=2$`))
		AddReportEntry("the history", a.Text)
	}, NodeTimeout(10*time.Minute))

	It("predicts where the taint of a cluster moves an application, and writes nothing", func(ctx SpecContext) {
		space, first := startNginx(ctx, 2, fmt.Sprintf(movable, directly, "[]"))
		was, err := env.Binding(ctx, space, "nginx-deployment")()
		Expect(err).NotTo(HaveOccurred())

		a, err := env.Dragoman(ctx, "failover", "simulate", "--cluster", first, "--taint", "drain:NoExecute", "-n", space, "-o", "json")
		Expect(err).NotTo(HaveOccurred())
		Expect(a.Code).To(Equal(0), a.Text)
		var predicted simulate.Report
		Expect(json.Unmarshal([]byte(a.Text), &predicted)).To(Succeed())
		Expect(predicted.Moves).To(HaveLen(1), a.Text)
		move := predicted.Moves[0]
		Expect(move.To).To(HaveLen(1))
		Expect(env.Dragoman(ctx, "failover", "simulate", "--cluster", first, "--down", "-n", space)).To(HaveField("Text",
			ContainSubstring("cluster "+first+" is down and gets cluster.karmada.io/not-ready:NoSchedule")))
		is, err := env.Binding(ctx, space, "nginx-deployment")()
		Expect(err).NotTo(HaveOccurred())
		Expect(is.Spec).To(Equal(was.Spec))
		Expect(is.Annotations).To(Equal(was.Annotations))

		env.SetTaints(ctx, first, "drain")
		second := runsOn(ctx, space, first)
		Expect(second).To(Equal(move.To[0].Cluster), "the prediction: "+a.Text)
		r := history(ctx, space)[0].Record
		Expect([]string{r.From, r.Reason, r.PurgeMode}).To(Equal([]string{move.From[0], "TaintUntolerated", string(move.PurgeMode)}))
		Expect(r.To).To(Equal([]string{move.To[0].Cluster}))
		Expect(r.Message).To(Equal("the cluster has the taint drain:NoExecute"))
		Expect(r.State.Labels).To(Equal(move.State[0].Labels))
	}, NodeTimeout(10*time.Minute))
})
