// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	pb "github.com/dragoman-io/dragoman/api/estimator"
	"github.com/dragoman-io/dragoman/controllers/decide/capacity/inventory"
	estimator "github.com/dragoman-io/dragoman/controllers/estimator/client"
	"github.com/dragoman-io/dragoman/controllers/estimator/server"
)

// requests makes the protobuf form of amounts.
func requests(t testing.TB, pairs ...string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for i := 0; i < len(pairs); i += 2 {
		q := resource.MustParse(pairs[i+1])
		b, err := q.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		all[pairs[i]] = b
	}
	return all
}

// service answers for a cluster of two nodes with 10 CPUs.
func service() *server.Service {
	i := inventory.New()
	for _, name := range []string{"a", "b"} {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		n.Status.Allocatable = corev1.ResourceList{"cpu": resource.MustParse("10"), "pods": resource.MustParse("110")}
		i.SetNode(n)
	}
	return &server.Service{
		Cluster: "member1", Inventory: i, Synced: func() bool { return true },
		Clock: clocktesting.NewFakePassiveClock(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)),
	}
}

// serve serves until the test ends and returns the address.
func serve(t *testing.T, s *server.Service, config *tls.Config) string {
	t.Helper()
	m, err := server.NewMetrics(prometheus.NewRegistry(), s.Inventory)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- (&server.Server{TLS: config, Service: s, Metrics: m}).Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func dial(t *testing.T, address string, c credentials.TransportCredentials) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(c))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestPublishedService(t *testing.T) {
	s := service()
	c := pb.NewEstimatorClient(dial(t, serve(t, s, nil), insecure.NewCredentials()))
	cpu := func(amount string) *pb.ReplicaRequirements {
		return &pb.ReplicaRequirements{ResourceRequestBytes: requests(t, "cpu", amount)}
	}
	component := &pb.Component{Replicas: 2, ReplicaRequirements: &pb.ComponentReplicaRequirements{ResourceRequestBytes: requests(t, "cpu", "3")}}
	assumed := []*pb.AssumedWorkload{{Components: []*pb.Component{component}}}
	replicas, err := c.MaxAvailableReplicas(t.Context(), &pb.MaxAvailableReplicasRequest{Cluster: "member1", ReplicaRequirements: cpu("3"), AssumedWorkloads: assumed})
	if err != nil || replicas.MaxReplicas != 4 {
		t.Errorf("got %d replicas, error %v, want 4", replicas.GetMaxReplicas(), err)
	}
	sets, err := c.MaxAvailableComponentSets(t.Context(), &pb.MaxAvailableComponentSetsRequest{Cluster: "member1", Components: []*pb.Component{component}, AssumedWorkloads: assumed})
	if err != nil || sets.MaxSets != 2 {
		t.Errorf("got %d sets, error %v, want 2", sets.GetMaxSets(), err)
	}
	pending, err := c.GetUnschedulableReplicas(t.Context(), &pb.UnschedulableReplicasRequest{Cluster: "member1", Resource: &pb.ObjectReference{ApiVersion: "apps/v1", Kind: "Deployment", Name: "web"}})
	if err != nil || pending.UnschedulableReplicas != 0 {
		t.Errorf("got %d pods, error %v, want 0", pending.GetUnschedulableReplicas(), err)
	}

	refused := func(err error, code codes.Code, text string) {
		t.Helper()
		if status.Code(err) != code || !strings.HasPrefix(status.Convert(err).Message(), text) {
			t.Errorf("got %v, want %s %s…", err, code, text)
		}
	}
	_, err = c.MaxAvailableReplicas(t.Context(), &pb.MaxAvailableReplicasRequest{Cluster: "member2", ReplicaRequirements: cpu("3")})
	refused(err, codes.InvalidArgument, "cluster: ")
	_, err = c.GetUnschedulableReplicas(t.Context(), &pb.UnschedulableReplicasRequest{Cluster: "", Resource: &pb.ObjectReference{}})
	refused(err, codes.InvalidArgument, "cluster: ")
	_, err = c.MaxAvailableReplicas(t.Context(), &pb.MaxAvailableReplicasRequest{Cluster: "member1", ReplicaRequirements: &pb.ReplicaRequirements{ResourceRequestBytes: map[string][]byte{"cpu": {1}}}})
	refused(err, codes.InvalidArgument, "replicaRequirements.resourceRequestBytes[cpu]: ")
	_, err = c.MaxAvailableComponentSets(t.Context(), &pb.MaxAvailableComponentSetsRequest{Cluster: "member1", Components: []*pb.Component{component, {Replicas: -3}}})
	refused(err, codes.InvalidArgument, "components[1].replicas: ")
	_, err = c.MaxAvailableComponentSets(t.Context(), &pb.MaxAvailableComponentSetsRequest{Cluster: "member1", AssumedWorkloads: []*pb.AssumedWorkload{{Components: []*pb.Component{{Replicas: -3}}}}})
	refused(err, codes.InvalidArgument, "assumedWorkloads[0].components[0].replicas: ")
	_, err = c.GetUnschedulableReplicas(t.Context(), &pb.UnschedulableReplicasRequest{Cluster: "member1", Resource: &pb.ObjectReference{Kind: "Deployment"}})
	refused(err, codes.InvalidArgument, "resource.name: ")
	s.Synced = func() bool { return false }
	_, err = c.MaxAvailableReplicas(t.Context(), &pb.MaxAvailableReplicasRequest{Cluster: "member1", ReplicaRequirements: cpu("3")})
	refused(err, codes.Unavailable, "")
}

// TestEstimate asks many questions at once, one of which is wrong.
func TestEstimate(t *testing.T) {
	c := pb.NewBatchEstimatorClient(dial(t, serve(t, service(), nil), insecure.NewCredentials()))
	replicas := func(limit int32, amount string) *pb.Question {
		return &pb.Question{Limit: limit, Ask: &pb.Question_Replicas{Replicas: &pb.ReplicaRequirements{ResourceRequestBytes: requests(t, "cpu", amount)}}}
	}
	component := &pb.Component{Replicas: 1, ReplicaRequirements: &pb.ComponentReplicaRequirements{ResourceRequestBytes: requests(t, "cpu", "6")}}
	response, err := c.Estimate(t.Context(), &pb.EstimateRequest{
		Cluster:          "member1",
		AssumedWorkloads: []*pb.AssumedWorkload{{Components: []*pb.Component{component}}},
		Questions: []*pb.Question{
			replicas(0, "2"),
			replicas(0, "-2"),
			{Ask: &pb.Question_ComponentSet{ComponentSet: &pb.ComponentSet{Components: []*pb.Component{component}}}},
			{},
			{Ask: &pb.Question_UnschedulableReplicas{UnschedulableReplicas: &pb.UnschedulableReplicas{Resource: &pb.ObjectReference{ApiVersion: "apps/v1", Kind: "Deployment", Name: "web"}}}},
			replicas(3, "2"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"7", "questions[1].replicas.resourceRequestBytes[cpu]: ", "1", "questions[3].ask: ", "0", "3"}
	if len(response.Answers) != len(want) {
		t.Fatalf("got %d answers, want %d", len(response.Answers), len(want))
	}
	for index, a := range response.Answers {
		if e := a.GetError(); e != nil {
			if codes.Code(e.Code) != codes.InvalidArgument || !strings.HasPrefix(e.Message, want[index]) {
				t.Errorf("answer %d: got %v, want %s", index, e, want[index])
			}
		} else if got := []string{"0", "1", "2", "3", "4", "5", "6", "7"}[a.GetCount()]; got != want[index] {
			t.Errorf("answer %d: got %s, want %s", index, got, want[index])
		}
	}
	if _, err := c.Estimate(t.Context(), &pb.EstimateRequest{Cluster: "other"}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("another cluster: got %v", err)
	}
}

// TestMutualTLS connects with and without the certificate of a client, by TLS 1.3 and by
// less, and after the server's certificate was renewed by another authority.
func TestMutualTLS(t *testing.T) {
	dir := t.TempDir()
	authority, other := newAuthority(t), newAuthority(t)
	files := server.TLS{CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key"), ClientCAFile: filepath.Join(dir, "ca.crt")}
	write := func(a *authorityOf) {
		certificate, key := a.issue(t, "localhost")
		for name, b := range map[string][]byte{files.CertFile: certificate, files.KeyFile: key, files.ClientCAFile: a.pem} {
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(authority)
	config, err := files.Config()
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(serve(t, service(), config))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(trusts, has *authorityOf, most uint16) error {
		c := &tls.Config{RootCAs: x509.NewCertPool(), MaxVersion: most}
		c.RootCAs.AppendCertsFromPEM(trusts.pem)
		if has != nil {
			pair, err := tls.X509KeyPair(has.issue(t, "scheduler"))
			if err != nil {
				t.Fatal(err)
			}
			// Not Certificates, of which none is sent that the server does not name.
			c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
		}
		conn := dial(t, "localhost:"+port, credentials.NewTLS(c))
		_, err := pb.NewEstimatorClient(conn).MaxAvailableReplicas(t.Context(), &pb.MaxAvailableReplicasRequest{Cluster: "member1"})
		return err
	}
	if err := ask(authority, authority, 0); err != nil {
		t.Errorf("with a certificate: %v", err)
	}
	for name, err := range map[string]error{
		"without a certificate":             ask(authority, nil, 0),
		"with that of another authority":    ask(authority, other, 0),
		"with an authority that is not its": ask(other, authority, 0),
		"by TLS 1.2":                        ask(authority, authority, tls.VersionTLS12),
		"in plain text":                     plain(t, "localhost:"+port),
	} {
		if status.Code(err) != codes.Unavailable {
			t.Errorf("%s: got %v, want an error of the connection", name, err)
		}
	}
	// The client of the scheduler has the same files, and reads its certificate at each handshake.
	config, err = estimator.TLS{CAFile: files.ClientCAFile, CertFile: files.CertFile, KeyFile: files.KeyFile}.Config()
	if err != nil {
		t.Fatal(err)
	}
	c := estimator.New(estimator.Options{TLS: config, Addresses: map[string]string{"member1": "localhost:" + port}})
	defer func() { _ = c.Close() }()
	q, err := estimator.Replicas("web", "", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if a := c.Estimate(t.Context(), map[string]estimator.Request{"member1": {Questions: []*pb.Question{q}}})["member1"][0]; a.Err != nil {
		t.Errorf("the scheduler's client: %v", a.Err)
	}
	write(other)
	if err := ask(other, other, 0); err != nil {
		t.Errorf("after a renewal: %v", err)
	}
	if err := ask(other, authority, 0); status.Code(err) != codes.Unavailable {
		t.Errorf("after a renewal, with the certificate from before: %v", err)
	}
}

func plain(t *testing.T, address string) error {
	_, err := pb.NewEstimatorClient(dial(t, address, insecure.NewCredentials())).MaxAvailableReplicas(t.Context(), &pb.MaxAvailableReplicasRequest{Cluster: "member1"})
	return err
}

func TestTLSFilesThatAreWrong(t *testing.T) {
	dir := t.TempDir()
	certificate, key := newAuthority(t).issue(t, "localhost")
	for name, b := range map[string][]byte{"crt": certificate, "key": key, "empty": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, c := range map[string]struct {
		files server.TLS
		fails bool
		none  bool
	}{
		"none":              {server.TLS{}, false, true},
		"no key":            {server.TLS{CertFile: in("crt")}, true, false},
		"only authorities":  {server.TLS{ClientCAFile: in("crt")}, true, false},
		"no authorities":    {server.TLS{CertFile: in("crt"), KeyFile: in("key")}, true, false},
		"any client":        {server.TLS{CertFile: in("crt"), KeyFile: in("key"), AnyClient: true}, false, false},
		"a missing file":    {server.TLS{CertFile: in("nothing"), KeyFile: in("key"), AnyClient: true}, true, false},
		"empty authorities": {server.TLS{CertFile: in("crt"), KeyFile: in("key"), ClientCAFile: in("empty")}, true, false},
	} {
		config, err := c.files.Config()
		if (err != nil) != c.fails || (config == nil) != (c.fails || c.none) {
			t.Errorf("%s: got %v, %v", name, config, err)
		}
	}
}
