// SPDX-License-Identifier: Apache-2.0

package member_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/controllers/internal/member"
)

var _ = It("sends events again once the API server of a member is back that was away", func(ctx SpecContext) {
	away := hub.Fleet.Members[1]
	registry := member.NewRegistry(hub.Client)
	DeferCleanup(registry.Close)
	events := &seen{}
	registry.Listen(events.note)
	m, err := registry.Connect(ctx, joined(ctx, away))
	Expect(err).NotTo(HaveOccurred())
	Expect(m.Watch(ctx, configMaps)).To(Succeed())
	direct, id := clientOf(away), string(uuid.NewUUID())[:8]
	work := types.NamespacedName{Namespace: names.ExecutionSpace(m.Name), Name: "w"}
	Expect(direct.Create(ctx, configMap("before-"+id, work))).To(Succeed())
	Eventually(events.all).WithContext(ctx).Should(ContainElement(ContainSubstring("before-" + id)))

	Expect(hub.Fleet.Cut(away)).To(Succeed())
	back := false
	restore := func(ctx SpecContext) {
		if !back {
			Expect(hub.Fleet.Restore(ctx, away)).To(Succeed())
			back = true
		}
	}
	DeferCleanup(restore)
	_ = m.Client.Get(ctx, client.ObjectKey{Namespace: "default", Name: "before-" + id}, configMap("", work)) // finds that it is away
	Consistently(m.Unavailable).WithContext(ctx).WithTimeout(20 * time.Second).Should(HaveOccurred())
	restore(ctx)

	begin := time.Now()
	Expect(direct.Create(ctx, configMap("after-"+id, work))).To(Succeed())
	Eventually(events.all).WithContext(ctx).WithTimeout(10 * time.Second).Should(ContainElement(ContainSubstring("after-" + id)))
	AddReportEntry("from ready to the event", time.Since(begin).String())
}, NodeTimeout(2*time.Minute))
