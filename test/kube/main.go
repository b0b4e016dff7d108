// SPDX-License-Identifier: Apache-2.0

// Command kube is every Kubernetes binary of the local fleet, and etcd, in one program.
// They share nearly all of their packages, so that one link takes the place of five. It
// runs the component whose name it is called by: bin/kube holds a symbolic link for each.
//
// Each function below is the main function of its component: keep them alike when the
// versions in go.mod change.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/etcdmain"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	switch name := filepath.Base(os.Args[0]); name {
	case "etcd":
		etcdmain.Main(os.Args)
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kube-controller-manager":
		os.Exit(cli.Run(controllermanager.NewControllerManagerCommand()))
	case "kube-scheduler":
		os.Exit(cli.Run(scheduler.NewSchedulerCommand()))
	case "kubectl":
		runKubectl()
	default:
		fmt.Fprintf(os.Stderr, "%s: no component of this name is in this program\n", name)
		os.Exit(2)
	}
}

func runKubectl() {
	_, _ = logs.GlogSetter(kubectl.GetLogVerbosity(os.Args)) // logs are also written while the command is made
	if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
