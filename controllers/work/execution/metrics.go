// SPDX-License-Identifier: Apache-2.0

package execution

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/controllers/internal/partition"
)

// backlogs serves how much waits for each member, read from the queue at each scrape: what that costs grows
// with the clusters, and not with the Works.
type backlogs struct {
	queue         atomic.Pointer[partition.Queue[reconcile.Request]]
	depth, oldest *prometheus.Desc
}

func newBacklogs() *backlogs {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("dragoman_member_queue_"+name, help, []string{"cluster"}, nil)
	}
	return &backlogs{
		depth:  desc("depth", "Works that wait for their turn to be carried out in a cluster."),
		oldest: desc("oldest_age_seconds", "For how long the first of the Works has waited for its turn."),
	}
}

// Describe implements prometheus.Collector.
func (b *backlogs) Describe(to chan<- *prometheus.Desc) {
	to <- b.depth
	to <- b.oldest
}

// Collect implements prometheus.Collector.
func (b *backlogs) Collect(to chan<- prometheus.Metric) {
	q := b.queue.Load()
	if q == nil {
		return
	}
	for cluster, backlog := range byCluster(q.Backlogs()) {
		age := 0.0
		if !backlog.Oldest.IsZero() {
			age = time.Since(backlog.Oldest).Seconds()
		}
		to <- prometheus.MustNewConstMetric(b.depth, prometheus.GaugeValue, float64(backlog.Ready), cluster)
		to <- prometheus.MustNewConstMetric(b.oldest, prometheus.GaugeValue, age, cluster)
	}
}

// byCluster adds up the partitions of each cluster: its Works, and those of them that are slow.
func byCluster(partitions map[string]partition.Backlog) map[string]partition.Backlog {
	all := map[string]partition.Backlog{}
	for name, of := range partitions {
		cluster, ok := names.Cluster(strings.TrimSuffix(name, slowSuffix))
		if !ok {
			continue
		}
		sum := all[cluster]
		sum.Ready += of.Ready
		if sum.Oldest.IsZero() || !of.Oldest.IsZero() && of.Oldest.Before(sum.Oldest) {
			sum.Oldest = of.Oldest
		}
		all[cluster] = sum
	}
	return all
}
