// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/dragoman-io/dragoman/api/crds"
	"github.com/dragoman-io/dragoman/cmd/dragoman-fleet/fleet"
	"github.com/dragoman-io/dragoman/test/scenario/operator"
)

var crdResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// Install puts the CRDs of the control plane on its API server, and waits until they
// are served. It must come before the controllers start.
func Install(ctx context.Context, f *fleet.Fleet) error {
	hub, err := dynamic.NewForConfig(f.ControlPlane.RESTConfig())
	if err != nil {
		return err
	}
	all, err := crds.All()
	if err != nil {
		return err
	}
	definitions := make([]*unstructured.Unstructured, len(all))
	for i, crd := range all {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(crd)
		if err != nil {
			return err
		}
		definitions[i] = &unstructured.Unstructured{Object: content}
	}
	return installCRDs(ctx, hub, definitions)
}

// installCRDs creates CRDs, all before it waits for the first.
func installCRDs(ctx context.Context, c dynamic.Interface, all []*unstructured.Unstructured) error {
	for _, o := range all {
		if _, err := c.Resource(crdResource).Create(ctx, o.DeepCopy(), metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("create CRD %s: %w", o.GetName(), err)
		}
	}
	for _, o := range all {
		if err := seeEstablished(ctx, c, o); err != nil {
			return fmt.Errorf("CRD %s: %w", o.GetName(), err)
		}
	}
	return nil
}

// seeEstablished waits until a CRD is served.
func seeEstablished(ctx context.Context, c dynamic.Interface, o *unstructured.Unstructured) error {
	return see(ctx, c.Resource(crdResource), o.GetName(), func(o *unstructured.Unstructured) error {
		if o != nil {
			conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
			for _, c := range conditions {
				if m, ok := c.(map[string]any); ok && m["type"] == "Established" && m["status"] == "True" {
					return nil
				}
			}
		}
		return notYet("the CRD is not established")
	})
}

// Join makes the members known to the control plane.
func Join(ctx context.Context, f *fleet.Fleet) error {
	hub, err := dynamic.NewForConfig(f.ControlPlane.RESTConfig())
	if err != nil {
		return err
	}
	objects := []map[string]any{{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "karmada-cluster"}}}
	for _, m := range f.Members {
		objects = append(objects, map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"namespace": "karmada-cluster", "name": m.Name},
			"data": map[string]any{"token": base64.StdEncoding.EncodeToString([]byte(m.Token)), "caBundle": base64.StdEncoding.EncodeToString(m.CA)},
		}, map[string]any{
			"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": map[string]any{"name": m.Name},
			"spec": map[string]any{
				"syncMode": "Push", "apiEndpoint": m.URL,
				"secretRef": map[string]any{"namespace": "karmada-cluster", "name": m.Name},
			},
		})
	}
	for _, o := range objects {
		if err := create(ctx, hub, &unstructured.Unstructured{Object: o}); err != nil {
			return err
		}
	}
	return nil
}

// setUp returns the steps before the failover.
func (s *Scenario) setUp() []step {
	return []step{
		{"installed the CRDs of the Flink operator in the control plane and all members", s.installFlink},
		{"joined the members", func(ctx context.Context) (string, error) { return "", Join(ctx, s.Fleet) }},
		{"saw all members become ready", s.seeMembersReady},
	}
}

func (s *Scenario) installFlink(ctx context.Context) (string, error) {
	if s.Storage != nil {
		return "", InstallFlink(ctx, s.Fleet)
	}
	storage, err := PlayFlink(s.playing, s.Fleet)
	s.Storage = storage
	return "", err
}

// InstallFlink puts the CRDs of the Flink operator on all API servers of a fleet, and waits
// until they are served. What is there stays.
func InstallFlink(ctx context.Context, f *fleet.Fleet) error {
	var definitions []*unstructured.Unstructured
	for text := range strings.SplitSeq(string(crdYAML), "\n---\n") {
		crd, err := decode([]byte(text))
		if err != nil {
			return err
		}
		definitions = append(definitions, crd)
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, c := range append([]*fleet.Cluster{f.ControlPlane}, f.Members...) {
		group.Go(func() error {
			d, err := dynamic.NewForConfig(c.RESTConfig())
			if err == nil {
				err = installCRDs(ctx, d, definitions)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", c.Name, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// PlayFlink installs the CRDs of the Flink operator, and plays it on all members of a fleet until
// ctx ends. It returns the storage that their jobs share.
func PlayFlink(ctx context.Context, f *fleet.Fleet) (*operator.Storage, error) {
	if err := InstallFlink(ctx, f); err != nil {
		return nil, err
	}
	storage := &operator.Storage{}
	for _, m := range f.Members {
		if err := PlayFlinkOn(ctx, m, storage); err != nil {
			return nil, err
		}
	}
	return storage, nil
}

// PlayFlinkOn plays the Flink operator on a member, which has its CRDs, until ctx ends.
func PlayFlinkOn(ctx context.Context, member *fleet.Cluster, storage *operator.Storage) error {
	o, err := operator.New(member.RESTConfig(), storage)
	if err != nil {
		return fmt.Errorf("%s: %w", member.Name, err)
	}
	go o.Run(ctx)
	return nil
}

func (s *Scenario) seeMembersReady(ctx context.Context) (string, error) {
	var lines []string
	for _, m := range s.Fleet.Members {
		err := see(ctx, s.hub.Resource(clusters), m.Name, func(o *unstructured.Unstructured) error {
			if conditionOf(o, "Ready") != "True" {
				return notYet("Ready is %q", conditionOf(o, "Ready"))
			}
			if at(o, "status.resourceSummary.allocatable.cpu") == "" {
				return notYet("its resources are not known")
			}
			lines = append(lines, fmt.Sprintf("%s  %s  cpu %s, memory %s", o.GetName(), at(o, "status.kubernetesVersion"),
				at(o, "status.resourceSummary.allocatable.cpu"), at(o, "status.resourceSummary.allocatable.memory")))
			return nil
		})
		if err != nil {
			return "", fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return strings.Join(lines, "\n"), nil
}

// conditionOf returns the status of a condition.
func conditionOf(o *unstructured.Unstructured, kind string) string {
	if o == nil {
		return ""
	}
	conditions, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range conditions {
		if m, ok := c.(map[string]any); ok && m["type"] == kind {
			return fmt.Sprint(m["status"])
		}
	}
	return ""
}

func decode(text []byte) (*unstructured.Unstructured, error) {
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &o.Object); err != nil {
		return nil, err
	}
	return o, nil
}

// create creates an object of one of the kinds of the scenario.
func create(ctx context.Context, c dynamic.Interface, o *unstructured.Unstructured) error {
	resource, ok := map[string]schema.GroupVersionResource{
		"Namespace": {Version: "v1", Resource: "namespaces"}, "Secret": {Version: "v1", Resource: "secrets"},
		"Cluster": clusters, "PropagationPolicy": policies, "FlinkDeployment": flinks,
	}[o.GetKind()]
	if !ok {
		return fmt.Errorf("the scenario has no %s", o.GetKind())
	}
	_, err := c.Resource(resource).Namespace(o.GetNamespace()).Create(ctx, o, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create %s %s: %w", o.GetKind(), o.GetName(), err)
	}
	return nil
}
