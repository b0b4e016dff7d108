// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"path"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	ctrl "sigs.k8s.io/controller-runtime"

	pb "github.com/dragoman-io/dragoman/api/estimator"
	"github.com/dragoman-io/dragoman/controllers/decide/capacity/inventory"
)

// Metrics counts the requests of a server and logs each at verbosity 1.
type Metrics struct {
	requests  *prometheus.CounterVec
	questions prometheus.Counter
	duration  *prometheus.HistogramVec
}

// NewMetrics registers the metrics of a server and of its inventory.
func NewMetrics(registry prometheus.Registerer, i *inventory.Inventory) (*Metrics, error) {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dragoman_estimator_requests_total", Help: "Requests by method and gRPC code.",
		}, []string{"method", "code"}),
		questions: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "dragoman_estimator_batch_questions_total", Help: "Questions in requests of many.",
		}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dragoman_estimator_request_duration_seconds", Help: "Time in which requests were answered.",
			Buckets: prometheus.ExponentialBuckets(1e-5, 4, 10),
		}, []string{"method"}),
	}
	nodes := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dragoman_estimator_nodes", Help: "Nodes of the cluster.",
	}, func() float64 { n, _ := i.Nodes(); return float64(n) })
	shapes := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "dragoman_estimator_node_shapes", Help: "Shapes that the nodes of the cluster fall into.",
	}, func() float64 { _, s := i.Nodes(); return float64(s) })
	for _, c := range []prometheus.Collector{m.requests, m.questions, m.duration, nodes, shapes} {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// objectKey is the key of the metadata that name what a request is about.
const objectKey = "object"

func (m *Metrics) intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	start := time.Now()
	response, err := handle(ctx, request)
	method, code := path.Base(info.FullMethod), status.Code(err).String()
	m.requests.WithLabelValues(method, code).Inc()
	m.duration.WithLabelValues(method).Observe(time.Since(start).Seconds())
	var questions int
	if batch, ok := request.(*pb.EstimateRequest); ok {
		questions = len(batch.GetQuestions())
		m.questions.Add(float64(questions))
	}
	ctrl.LoggerFrom(ctx).V(1).Info("answered", "method", method, "code", code, "object", metadata.ValueFromIncomingContext(ctx, objectKey), "questions", questions)
	return response, err
}
