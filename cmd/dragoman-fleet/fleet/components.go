// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"path/filepath"
	"strings"
)

// component is how one process of a fleet is started.
type component struct {
	name   string // of the process and its log
	binary string
	home   string // folder for its files
	args   []string
	// binaries is the folder of the binary; empty is that of the fleet.
	binaries string
	// standIn means that it plays an operator.
	standIn bool
}

// Controllers of kube-controller-manager. The control plane holds templates and
// must not act on them: nothing but cleaning up after deletions, and tokens.
var (
	controlPlaneControllers = []string{
		"namespace-controller",
		"garbage-collector-controller",
		"serviceaccount-token-controller",
		"clusterrole-aggregation-controller",
	}
	// No node-lifecycle-controller: kwok's nodes send no heartbeats.
	memberControllers = append([]string{
		"serviceaccount-controller",
		"deployment-controller",
		"replicaset-controller",
		"statefulset-controller",
		"daemonset-controller",
		"job-controller",
		"cronjob-controller",
		"ttl-after-finished-controller",
		"disruption-controller",
		"endpointslice-controller",
		"resourcequota-controller",
	}, controlPlaneControllers...)
)

// Admission plugins that are on by default and would be in the way.
const (
	// Without a service-account controller no pod could be created.
	withoutServiceAccounts = "ServiceAccount"
	// The taint not-ready is taken off by the node-lifecycle controller only.
	withoutNotReadyTaint = "TaintNodesByCondition"
)

// etcd keeps the data of all clusters. Its ports are for API servers, for peers and for its
// HTTP gateway. Where one port has the first and the last, each call of an API server goes
// through the HTTP server of Go, which takes more processor time than that of gRPC.
func etcd(dir folder, ports []int) component {
	home := dir.run("etcd")
	clients, peers, gateway := serverURL(ports[0]), serverURL(ports[1]), serverURL(ports[2])
	ca, crt, key := tlsFiles(home)
	return component{name: "etcd", binary: "etcd", home: home, args: []string{
		"--name=etcd",
		"--data-dir=" + filepath.Join(home, fmt.Sprintf("data-%d", ports[0])), // a failed attempt leaves one behind
		"--listen-client-urls=" + clients,
		"--listen-client-http-urls=" + gateway,
		"--advertise-client-urls=" + clients,
		"--listen-peer-urls=" + peers,
		"--initial-advertise-peer-urls=" + peers,
		"--initial-cluster=etcd=" + peers,
		"--client-cert-auth", "--trusted-ca-file=" + ca, "--cert-file=" + crt, "--key-file=" + key,
		"--peer-client-cert-auth", "--peer-trusted-ca-file=" + ca, "--peer-cert-file=" + crt, "--peer-key-file=" + key,
		"--log-level=warn",
		"--unsafe-no-fsync", // the data need not survive the machine
	}}
}

// apiserver serves the cluster called name on port.
func apiserver(dir folder, name, etcdURL, disabledAdmission string, port int) component {
	home := dir.run(name)
	_, crt, key := tlsFiles(home)
	etcdCA, etcdCrt, etcdKey := tlsFiles(dir.run("etcd"))
	return component{name: name + "-kube-apiserver", binary: "kube-apiserver", home: home, args: []string{
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		"--tls-cert-file=" + crt,
		"--tls-private-key-file=" + key,
		"--etcd-servers=" + etcdURL,
		"--etcd-prefix=/" + name,
		"--etcd-cafile=" + etcdCA,
		"--etcd-certfile=" + etcdCrt,
		"--etcd-keyfile=" + etcdKey,
		"--anonymous-auth=false",
		"--authorization-mode=RBAC",
		"--token-auth-file=" + filepath.Join(home, "tokens.csv"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + filepath.Join(home, "sa.key"),
		"--service-account-signing-key-file=" + filepath.Join(home, "sa.key"),
		"--service-cluster-ip-range=10.96.0.0/16",
		"--endpoint-reconciler-type=none", // would refuse 127.0.0.1
		"--disable-admission-plugins=" + disabledAdmission,
	}}
}

func controllerManager(dir folder, c *Cluster, controllers []string) component {
	home := dir.run(c.Name)
	ca, _, _ := tlsFiles(home)
	return component{name: c.Name + "-kube-controller-manager", binary: "kube-controller-manager", home: home, args: append([]string{
		"--kubeconfig=" + c.Kubeconfig,
		"--controllers=" + strings.Join(controllers, ","),
		"--service-account-private-key-file=" + filepath.Join(home, "sa.key"),
		"--root-ca-file=" + ca,
		"--kube-api-qps=200",
		"--kube-api-burst=400",
	}, leaderElectionFlags...)}
}

func scheduler(dir folder, c *Cluster) component {
	return component{name: c.Name + "-kube-scheduler", binary: "kube-scheduler", home: dir.run(c.Name), args: append([]string{
		"--kubeconfig=" + c.Kubeconfig,
	}, leaderElectionFlags...)}
}

// leaderElectionFlags are the flags of a component that listens nowhere. It holds its
// leader lease as a sign that it is ready. Nobody competes for the lease, so it
// is long: an outage of the API server shall not end the component.
var leaderElectionFlags = []string{
	"--secure-port=0",
	"--leader-elect-lease-duration=240h",
	"--leader-elect-renew-deadline=200h",
	"--leader-elect-retry-period=5s",
}

// kwok plays the kubelets of all nodes: it makes nodes ready and pods run.
func kwok(dir folder, c *Cluster) component {
	return component{name: c.Name + "-kwok", binary: "kwok", home: dir.run(c.Name), args: []string{
		"--kubeconfig=" + c.Kubeconfig,
		"--manage-all-nodes=true",
		"--node-lease-duration-seconds=0",
		"--cidr=10.244.0.1/16",
		"--node-ip=127.0.0.1",
	}}
}

// kwokStandIn plays the stages in the file for custom resources, and no nodes.
func kwokStandIn(dir folder, c *Cluster, name, stages string) component {
	return component{name: c.Name + "-stand-in-" + name, binary: "kwok", home: dir.run(c.Name), standIn: true, args: []string{
		"--kubeconfig=" + c.Kubeconfig,
		"--config=" + stages,
		"--manage-nodes-with-label-selector=stand-in.dragoman.io/no-node",
		"--node-lease-duration-seconds=0",
	}}
}

// serverURL is where a component listens.
func serverURL(port int) string { return fmt.Sprintf("https://127.0.0.1:%d", port) }

// tlsFiles returns the paths that authority.issue writes to.
func tlsFiles(home string) (ca, crt, key string) {
	return filepath.Join(home, "ca.crt"), filepath.Join(home, "tls.crt"), filepath.Join(home, "tls.key")
}
