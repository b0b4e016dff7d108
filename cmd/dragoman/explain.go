// SPDX-License-Identifier: Apache-2.0

//go:build !nocluster

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/controllers/explain"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/bundle"
)

// explainTimeout is how long all requests of explain may take.
const explainTimeout = 30 * time.Second

// explainOptions are the flags of explain.
type explainOptions struct {
	streams      Streams
	namespace    string
	kubeconfig   string
	output       string
	memberStatus bool
}

func newExplainCommand(streams Streams) *cobra.Command {
	o := &explainOptions{streams: streams}
	c := &cobra.Command{
		Use:   "explain KIND/NAME [-n NAMESPACE]",
		Short: "Show what became of an object of the control plane, and where it is stuck",
		Long: `explain follows an object of the control plane over its policy, its binding, its
clusters and its Works to the members and back to its status. It prints the first link
that is broken with what to do, and then all links: also why other policies and clusters
were not chosen.

KIND is what kubectl accepts, such as deployment, deploy, deployments.apps or
deployments.v1.apps. explain only reads the control plane; it asks no member. Where no
script of this program is about the kind, it says that the generic rules answer.

Exit codes: 0 all is well; 1 a link is broken or waits; 2 usage, or the control plane
could not be read.`,
		Example: `  dragoman explain deployment/web -n shop
  dragoman explain clusterroles.rbac.authorization.k8s.io/reader -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(c.Context(), args[0])
		},
	}
	f := c.Flags()
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the object; empty means that of the kubeconfig's context")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig of the control plane; empty means $KUBECONFIG or ~/.kube/config")
	f.StringVarP(&o.output, "output", "o", "text", "form of the result: text or json")
	f.BoolVar(&o.memberStatus, "member-status", false, "show the status that each member reported")
	return c
}

func (o *explainOptions) run(ctx context.Context, object string) error {
	if !slices.Contains([]string{"text", "json"}, o.output) {
		return fmt.Errorf("output %q: want text or json", o.output)
	}
	kind, name, ok := strings.Cut(object, "/")
	if !ok || kind == "" || name == "" {
		return fmt.Errorf("object %q: want KIND/NAME, such as deployment/web", object)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, explainTimeout)
	defer cancel()
	plane, err := openPlane(o.kubeconfig, o.namespace)
	if err != nil {
		return err
	}
	in, err := plane.read(ctx, kind, name)
	if err != nil {
		return err
	}
	if in.Generic, err = isUnknown(in.Template.GroupVersionKind()); err != nil {
		return err
	}
	in.MemberStatus = o.memberStatus
	chain := explain.Explain(in)
	if err := o.write(chain); err != nil {
		return err
	}
	if chain.Broken != "" {
		return &exitError{code: exitFound}
	}
	return nil
}

func (o *explainOptions) write(chain *explain.Chain) error {
	text := []byte(chain.Text(time.Now()))
	if o.output == "json" {
		raw, err := json.MarshalIndent(chain, "", "  ")
		if err != nil {
			return err
		}
		text = append(raw, '\n')
	}
	_, err := o.streams.Out.Write(text)
	return err
}

// isUnknown reports whether no bundle of this program is about a kind.
func isUnknown(kind schema.GroupVersionKind) (bool, error) {
	c, err := engine.NewCompiler()
	if err != nil {
		return false, err
	}
	bundles, err := loadBundles(bundle.Loader{Compiler: c}, nil, kind)
	return !haveKind(bundles, kind), err
}
