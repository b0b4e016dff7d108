// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A manager that has nothing to do", func() {
	// Each watch that ends would be one GET.
	It("keeps its watches", func(ctx SpecContext) {
		reads := func(g Gomega) float64 {
			text, err := env.Metrics(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			sum := 0.0
			host := strings.TrimPrefix(env.ControlPlane.RESTConfig().Host, "https://")
			for line := range strings.Lines(text) {
				if !strings.HasPrefix(line, "rest_client_requests_total{") || !strings.Contains(line, `host="`+host+`"`) || !strings.Contains(line, `method="GET"`) {
					continue
				}
				n, err := strconv.ParseFloat(line[strings.LastIndex(line, " ")+1:len(line)-1], 64)
				g.Expect(err).NotTo(HaveOccurred())
				sum += n
			}
			g.Expect(sum).To(BeNumerically(">", 10), "it has watches")
			return sum
		}
		Eventually(func(g Gomega) {
			before := reads(g)
			time.Sleep(6 * time.Second)
			g.Expect(reads(g)-before).To(BeNumerically("<=", 1), "reads of the control plane in 6 s")
		}).Should(Succeed())
	}, NodeTimeout(10*time.Minute))
})
