// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/test/suite"
)

func TestFlagsThatAreWrong(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"Format":      {reason: "there are two formats", args: []string{"--logging-format=xml"}, want: `"xml" is neither text nor json`},
		"Argument":    {reason: "there are only flags", args: []string{"execution"}, want: `unknown command "execution"`},
		"Gate":        {reason: "there is no such gate", args: []string{"--feature-gates=Nonsense=true"}, want: "unrecognized feature gate: Nonsense"},
		"PurgeMode":   {reason: "clusters are not left with Never", args: []string{"--no-execute-taint-eviction-purge-mode=Never"}, want: "use Gracefully or Directly"},
		"Share":       {reason: "it is a share, not a percentage", args: []string{"--unhealthy-cluster-threshold=55"}, want: "a share of all clusters from 0 to 1"},
		"Backoff":     {reason: "a back-off does not shrink", args: []string{"--failover-backoff=1h"}, want: "--failover-backoff-max is 30m0s, less than --failover-backoff"},
		"Generic":     {reason: "there is no such question", args: []string{"--generic-answers=health,replica"}, want: `--generic-answers: there is no question "replica"; did you mean replicas?`},
		"Descheduler": {reason: "it asks estimators", args: []string{"--enable-descheduler"}, want: "set --enable-scheduler-estimator too"},
		"Interval":    {reason: "time goes on", args: []string{"--enable-scheduler-estimator", "--enable-descheduler", "--descheduling-interval=0s"}, want: "must be above 0"},
		"Timeout":     {reason: "no answer takes no time", args: []string{"--enable-scheduler-estimator", "--scheduler-estimator-timeout=0s"}, want: "--scheduler-estimator-timeout is 0s; it must be above 0"},
		"Certificate": {reason: "nobody would see it", args: []string{"--enable-scheduler-estimator", "--scheduler-estimator-cert-file=a", "--scheduler-estimator-key-file=b"}, want: "set --scheduler-estimator-ca-file too"},
		"Key":         {reason: "a certificate has a key", args: []string{"--enable-scheduler-estimator", "--scheduler-estimator-cert-file=a"}, want: "set both --scheduler-estimator-cert-file and --scheduler-estimator-key-file"},
		"Authorities": {reason: "the file is not there", args: []string{"--enable-scheduler-estimator", "--scheduler-estimator-ca-file=/nonexistent"}, want: "read the authorities of estimators: open /nonexistent"},
		"Kubeconfig":  {reason: "the file is not there", args: []string{"--kubeconfig=/nonexistent"}, want: "read the kubeconfig: stat /nonexistent"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cmd := newCommand(func(logr.Logger) {}, prometheus.NewRegistry())
			cmd.SetArgs(tc.args)
			if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v ended with %v, want %q", tc.reason, tc.args, err, tc.want)
			}
		})
	}
}

// TestManager runs the whole manager on a real control plane, which carries an object
// to a member, reads its log, and compares its metrics with the documents.
func TestManager(t *testing.T) {
	ctx := t.Context()
	s, err := suite.Start(ctx, "one")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})

	var out output
	shared := make(chan struct{}) // nothing else may log meanwhile
	share := func(log logr.Logger) {
		shareLogger(log)
		klog.Background().WithName("library").Info("logged something")
		close(shared)
	}
	running, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	served := newRecording(t)
	go func() {
		done <- executeServing(running, share, served, &out, "--kubeconfig="+s.Fleet.ControlPlane.Kubeconfig, "--logging-format=json", "-v=1", "--cluster-success-threshold=1ms",
			"--cluster-status-update-frequency=100ms", "--feature-gates=FederatedQuotaEnforcement=true")
	}()
	<-shared
	cluster, err := s.Cluster(ctx, s.Fleet.Members[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []client.Object{
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "settings"}, Data: map[string]string{"key": "value"}},
		&policyv1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "everywhere"}, Spec: policyv1alpha1.PropagationSpec{
			ResourceSelectors: []policyv1alpha1.ResourceSelector{{APIVersion: "v1", Kind: "ConfigMap", Name: "settings"}},
		}},
	} {
		if err := s.Client.Create(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
	onMember, err := client.New(s.Fleet.Members[0].RESTConfig(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	arrived := &corev1.ConfigMap{}
	err = wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		err := onMember.Get(ctx, types.NamespacedName{Namespace: "default", Name: "settings"}, arrived)
		return err == nil, client.IgnoreNotFound(err)
	})
	served.lint(t)
	cancel()
	if err != nil {
		_ = s.Client.Get(ctx, client.ObjectKeyFromObject(cluster), cluster)
		t.Errorf("the ConfigMap did not come to the member: %v; conditions of the cluster: %v", err, cluster.Status.Conditions)
	}
	if err := <-done; err != nil {
		t.Errorf("the manager ended with %v", err)
	}
	served.compare(t)
	loggers := map[string]bool{}
	for _, entry := range entries(t, out.String()) {
		loggers[entry["logger"].(string)] = true
	}
	for _, want := range []string{"library", "cluster.status", "work.execution", "customization"} {
		if !loggers[want] {
			t.Errorf("the log has no entry of %s; it has %v", want, loggers)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}

	if err := execute(ctx, &output{}, "--kubeconfig="+s.Fleet.ControlPlane.Kubeconfig, "--controllers=work.exection"); err == nil ||
		!strings.Contains(err.Error(), `there is no controller "work.exection"; did you mean work.execution?`) {
		t.Errorf("got %v, want an error that names the controller that was meant", err)
	}
	if err := execute(ctx, &output{}, "--kubeconfig="+s.Fleet.ControlPlane.Kubeconfig, "--bundle-parameter=nobody.a=1,another.b=2"); err == nil ||
		!strings.Contains(err.Error(), "no bundle has the parameter another.b, nobody.a") {
		t.Errorf("got %v, want an error that names the parameters that no bundle has", err)
	}
}

// TestManagerLogsWhyItEnded in the form of its log.
func TestManagerLogsWhyItEnded(t *testing.T) {
	var out output
	if err := execute(t.Context(), &out, "--kubeconfig=/nonexistent", "--logging-format=json"); err != errLogged {
		t.Errorf("got %v, want an error that is not printed again", err)
	}
	all := entries(t, out.String())
	if len(all) != 1 || all[0]["level"] != "error" || !strings.Contains(all[0]["error"].(string), "/nonexistent") {
		t.Errorf("got the log %q, want one entry with the cause", out.String())
	}
}

// execute runs the command with a log of its own.
func execute(ctx context.Context, out *output, args ...string) error {
	return executeSharing(ctx, func(logr.Logger) {}, out, args...)
}

func executeSharing(ctx context.Context, share func(logr.Logger), out *output, args ...string) error {
	return executeServing(ctx, share, prometheus.NewRegistry(), out, args...)
}

func executeServing(ctx context.Context, share func(logr.Logger), registry prometheus.Registerer, out *output, args ...string) error {
	cmd := newCommand(share, registry)
	cmd.SetArgs(append([]string{"--metrics-bind-address=0", "--health-probe-bind-address=0"}, args...))
	cmd.SetErr(out)
	return cmd.ExecuteContext(ctx)
}

// output is a buffer for many goroutines.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
