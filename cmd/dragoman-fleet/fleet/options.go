// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
)

// controlPlane is the name of the control plane among the clusters of a fleet.
const controlPlane = "control-plane"

// Options describe what a fleet consists of. The zero value is a control plane
// without members, in a temporary folder.
type Options struct {
	// Binaries is the folder with the binaries that Build made. Empty means
	// $DRAGOMAN_KUBE_BIN or bin/kube in this repository, see Binaries.
	Binaries string

	// Dir takes data, keys, logs and kubeconfigs; it must be empty, missing, or
	// left by a fleet that has ended. Empty means a new temporary folder.
	Dir string

	// KeepDir leaves Dir as it is after Stop, to read the logs.
	KeepDir bool

	// Members are the names of the member clusters: DNS labels, each once.
	Members []string

	// Servers are folders with the servers of members that run another version of Kubernetes:
	// kube-apiserver, kube-controller-manager and kube-scheduler, by the name of the member.
	Servers map[string]string

	// Nodes is how many nodes each member gets, 2 if zero. Bare API servers
	// have none.
	Nodes int

	// Capacity is what each node offers; nil means 8 CPU, 32Gi memory, 110
	// pods. A node of another size is made by creating a Node on the member.
	Capacity corev1.ResourceList

	// StandIns play the operators of custom resources on every member.
	StandIns []StandIn

	// Port chooses a TCP port on 127.0.0.1. It is called again when the port
	// turns out to be taken. Nil means FreePort.
	Port func() (int, error)
}

// MemberNames returns member1 … memberN.
func MemberNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("member%d", i+1)
	}
	return names
}

// Binaries returns the folder of the Kubernetes binaries: $DRAGOMAN_KUBE_BIN, or
// bin/kube of the repository around the working directory. It does not look
// into the folder.
func Binaries() (string, error) {
	if dir := os.Getenv("DRAGOMAN_KUBE_BIN"); dir != "" {
		return dir, nil
	}
	root, err := Root()
	if err != nil {
		return "", fmt.Errorf("find the Kubernetes binaries: %w; DRAGOMAN_KUBE_BIN names their folder elsewhere", err)
	}
	return filepath.Join(root, "bin", "kube"), nil
}

// complete returns o with the defaults filled in and both folders absolute, or what is
// wrong with o. The fleet will start these binaries, and kwok for its stand-ins.
func (o Options) complete(binaries []string) (Options, error) {
	if o.Binaries == "" {
		dir, err := Binaries()
		if err != nil {
			return o, err
		}
		o.Binaries = dir
	}
	var err error
	if o.Binaries, err = filepath.Abs(o.Binaries); err != nil { // processes run in other folders
		return o, err
	}
	if len(o.StandIns) > 0 {
		binaries = append(slices.Clone(binaries), "kwok")
	}
	if err := checkBinaries(o.Binaries, binaries); err != nil {
		return o, err
	}
	if err := checkMembers(o.Members); err != nil {
		return o, err
	}
	if o.Servers, err = checkServers(o.Servers, o.Members); err != nil {
		return o, err
	}
	if o.Nodes < 0 {
		return o, fmt.Errorf("%d nodes: want 0 (the default) or more", o.Nodes)
	}
	if o.Nodes == 0 {
		o.Nodes = 2
	}
	if o.Capacity == nil {
		o.Capacity = corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("8"),
			corev1.ResourceMemory: resource.MustParse("32Gi"),
			corev1.ResourcePods:   resource.MustParse("110"),
		}
	}
	if o.Port == nil {
		o.Port = FreePort
	}
	if o.StandIns, err = parsed(o.StandIns); err != nil {
		return o, err
	}
	if o.Dir == "" {
		dir, err := os.MkdirTemp("", "dragoman-fleet-")
		if err != nil {
			return o, err
		}
		o.Dir = dir
	}
	o.Dir, err = filepath.Abs(o.Dir)
	return o, err
}

// parsed returns stand-ins with their stages read.
func parsed(all []StandIn) ([]StandIn, error) {
	all = slices.Clone(all)
	for i := range all {
		if err := all[i].parse(); err != nil {
			return nil, fmt.Errorf("stand-in %q: %w", all[i].Name, err)
		}
	}
	return all, nil
}

// checkMembers returns an error for the first name of a member that cannot be used.
func checkMembers(names []string) error {
	for i, name := range names {
		if msgs := validation.IsDNS1123Label(name); len(msgs) > 0 {
			return fmt.Errorf("member name %q: %s", name, msgs[0])
		}
		if name == controlPlane || name == "etcd" || slices.Contains(names[:i], name) {
			return fmt.Errorf("member name %q is taken", name)
		}
	}
	return nil
}

// servers are the binaries that Options.Servers has.
var servers = []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"}

// checkServers returns the folders of servers as absolute ones, or an error for one that is not of a
// member or lacks a binary.
func checkServers(all map[string]string, members []string) (map[string]string, error) {
	absolute := make(map[string]string, len(all))
	for member, dir := range all {
		if !slices.Contains(members, member) {
			return nil, fmt.Errorf("servers of %s in %s: no such member; there are %s", member, dir, strings.Join(members, ", "))
		}
		dir, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		for _, name := range servers {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				return nil, fmt.Errorf("servers of %s: %w", member, err)
			}
		}
		absolute[member] = dir
	}
	return absolute, nil
}

// checkBinaries returns an error for the first of the binaries that is missing in dir,
// with the remedy.
func checkBinaries(dir string, binaries []string) error {
	for _, name := range binaries {
		_, err := os.Stat(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("no %s in %s: run `make kube` (or `dragoman-fleet build`) first", name, dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
