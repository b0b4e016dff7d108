// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
)

// kyvernoSpace is where Kyverno keeps what is its own.
const kyvernoSpace = "kyverno"

// The times for which Kyverno's webhooks are awaited, and its end.
const (
	servesWithin = 2 * time.Minute
	endsWithin   = 20 * time.Second
)

// kyverno is Kyverno's admission controller, which runs as a process for one member.
type kyverno struct {
	member  client.Client
	process *os.Process
	// log is where the process logs.
	log  string
	done chan struct{} // closed when the process is gone
}

// startKyverno installs the CRDs of Kyverno in a member and starts its admission
// controller. The process ends by end, and with this program, however that ends.
func startKyverno(ctx context.Context, root string, member *fleet.Cluster, log string) (*kyverno, error) {
	c, err := client.New(member.RESTConfig(), client.Options{})
	if err != nil {
		return nil, err
	}
	k := &kyverno{member: c, log: log, done: make(chan struct{})}
	if err := k.install(ctx, filepath.Join(root, "test", "kyverno")); err != nil {
		return nil, err
	}
	return k, k.start(filepath.Join(root, "bin", "kyverno"), member.Kubeconfig)
}

// install creates what Kyverno needs: its CRDs, which are in its module, its namespace, and
// two configurations, which may be empty.
func (k *kyverno) install(ctx context.Context, module string) error {
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/kyverno/kyverno")
	list.Dir, list.Env = module, append(os.Environ(), "GOWORK=off")
	dir, err := list.Output()
	if err != nil {
		return fmt.Errorf("find the module of Kyverno by %s: %w", module, err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "config", "crds", "*", "*.yaml"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("the module of Kyverno in %s has no CRDs: %w", dir, err)
	}
	for _, file := range files {
		if err := k.applyFile(ctx, file); err != nil {
			return err
		}
	}
	fmt.Printf("installed %d CRDs of Kyverno\n", len(files))
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: kyvernoSpace}}
	for _, o := range []client.Object{space, configuration("kyverno"), configuration("kyverno-metrics")} {
		if err := k.member.Create(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func configuration(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: kyvernoSpace, Name: name}}
}

// start starts the process.
func (k *kyverno) start(binary, kubeconfig string) error {
	webhook, err := fleet.FreePort()
	if err != nil {
		return err
	}
	metrics, err := fleet.FreePort()
	if err != nil {
		return err
	}
	log, err := os.Create(k.log)
	if err != nil {
		return err
	}
	args := []string{
		"--kubeconfig=" + kubeconfig,
		fmt.Sprintf("--serverIP=127.0.0.1:%d", webhook), "--webhookServerHost=127.0.0.1",
		fmt.Sprintf("--webhookServerPort=%d", webhook), fmt.Sprintf("--servicePort=%d", webhook),
		"--caSecretName=kyverno-ca", "--tlsSecretName=kyverno-tls",
		"--disableMetrics=true", "--metricsHost=127.0.0.1", fmt.Sprintf("--metricsPort=%d", metrics), "--controllerRuntimeMetricsAddress=0",
		"--admissionReports=false", "--enableReporting=", "--omitEvents=PolicyApplied,PolicyViolation,PolicyError,PolicySkipped",
	}
	started := make(chan error, 1)
	go func() {
		defer close(k.done)
		defer log.Close() //nolint:errcheck // a log
		// The death signal comes when the thread that started the child ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		cmd := exec.Command(binary, args...) //nolint:gosec // what make built
		cmd.Stdout, cmd.Stderr = log, log
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
		cmd.Env = append(os.Environ(), "KYVERNO_NAMESPACE="+kyvernoSpace, "KYVERNO_DEPLOYMENT=kyverno", "KYVERNO_SVC=kyverno-svc",
			"KYVERNO_POD_NAME=kyverno-0", "KYVERNO_SERVICEACCOUNT_NAME=kyverno", "INIT_CONFIG=kyverno", "METRICS_CONFIG=kyverno-metrics")
		err := cmd.Start()
		if err == nil {
			k.process = cmd.Process
		}
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start %s, which make demo-kyverno builds: %w", binary, err)
	}
	return nil
}

// apply applies a policy. Kyverno validates it by webhooks, which it registers a little
// after its start and serves a little later.
func (k *kyverno) apply(ctx context.Context, file string) error {
	bounded, cancel := context.WithTimeout(ctx, servesWithin)
	defer cancel()
	last := errors.New("its webhooks are not registered")
	err := wait.PollUntilContextCancel(bounded, 500*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		select {
		case <-k.done:
			return false, errors.New("the process has ended")
		default:
		}
		registered, err := k.configurations(ctx)
		if err != nil || len(registered) == 0 {
			return false, err
		}
		last = k.applyFile(ctx, file)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("apply %s: %w: %w; Kyverno logged at the end:\n%s", filepath.Base(file), err, last, k.logged())
	}
	return nil
}

// applyFile applies the object of a file.
func (k *kyverno) applyFile(ctx context.Context, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &o.Object); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	if err := k.member.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("demo-kyverno"), client.ForceOwnership); err != nil {
		return fmt.Errorf("apply %s: %w", filepath.Base(file), err)
	}
	return nil
}

// end stops the process and removes its webhook configurations: without them the API server
// would refuse what Kyverno is asked about. It fails unless both are gone.
func (k *kyverno) end(ctx context.Context) error {
	_ = k.process.Signal(syscall.SIGTERM) // an error means: gone already
	select {
	case <-k.done:
	case <-time.After(endsWithin):
		_ = k.process.Kill()
		<-k.done
	}
	left, err := k.configurations(ctx)
	if err != nil {
		return err
	}
	for _, o := range left {
		if err := client.IgnoreNotFound(k.member.Delete(ctx, o)); err != nil {
			return fmt.Errorf("delete the webhook configuration %s: %w", o.GetName(), err)
		}
	}
	if err := k.member.Create(ctx, configuration("after-kyverno")); err != nil {
		return fmt.Errorf("member2 refuses objects after the end of Kyverno: %w", err)
	}
	fmt.Printf("stopped Kyverno, and removed its %d webhook configurations\n", len(left))
	return nil
}

// configurations lists the webhook configurations that Kyverno has registered.
func (k *kyverno) configurations(ctx context.Context) ([]client.Object, error) {
	managed := client.MatchingLabels{"webhook.kyverno.io/managed-by": "kyverno"}
	var mutating admissionregistrationv1.MutatingWebhookConfigurationList
	var validating admissionregistrationv1.ValidatingWebhookConfigurationList
	for _, list := range []client.ObjectList{&mutating, &validating} {
		if err := k.member.List(ctx, list, managed); err != nil {
			return nil, fmt.Errorf("list the webhook configurations of Kyverno: %w", err)
		}
	}
	var all []client.Object
	for i := range mutating.Items {
		all = append(all, &mutating.Items[i])
	}
	for i := range validating.Items {
		all = append(all, &validating.Items[i])
	}
	return all, nil
}

// logged returns the end of the log.
func (k *kyverno) logged() string {
	text, err := os.ReadFile(k.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-4000):])
}
