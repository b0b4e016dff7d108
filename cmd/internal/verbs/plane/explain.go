// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
)

// explainOptions are the flags of explain.
type explainOptions struct {
	streams      verb.Streams
	namespace    string
	kubeconfig   string
	output       string
	memberStatus bool
	scripts      bool

	object     string
	operations []string
	observed   string
	items      string
	replicas   int64
	state      verb.State
	failover   bool
	parameters []string

	// asked are the operations that the flags name.
	asked []engine.Op
	given func(flag string) bool
}

func newExplainCommand(streams verb.Streams) *cobra.Command {
	o := &explainOptions{streams: streams}
	c := &cobra.Command{
		Use:   "explain {KIND/NAME [-n NAMESPACE] [--scripts] | -f FILE [PATH]...}",
		Short: "Show what became of an object, or which script answers what about it",
		Long: `explain KIND/NAME follows an object of the control plane over its policy, its binding, its
clusters and its Works to the members and back to its status. It prints the first link
that is broken with what to do, and then all links: also why other policies and clusters
were not chosen.

KIND is what kubectl accepts, such as deployment, deploy, deployments.apps or
deployments.v1.apps. explain only reads the control plane; it asks no member. Where no
script of this program is about the kind, it says that the generic rules answer.

With --scripts, it shows instead which script answers each operation about the object, and why: the
layer, which is a customization, an installed bundle, a bundle of this program or the generic rules,
the name with revision or generation, the function, the line at which it returned or failed, and the
gas. It asks the customizations and ScriptBundles of the control plane, and the bundles of this program,
as the manager does; names the ScriptBundles for the kind that were refused or are in the mode Shadow;
and shows what each cluster reported of its copy.

explain -f FILE shows the same about the objects of a file, without a cluster. Each PATH is a bundle, a
folder or an archive, that counts as installed, or a file with ResourceInterpreterCustomizations. What
operations take beside the object is assumed where no flag has it: one replica more than there are, the
object as observed, its status from one cluster, the state that it leaves.

Exit codes: 0 all is well; 1 a link is broken or waits, a script failed, or a PATH is not
valid; 2 usage, or the control plane could not be read; 3 no script answers.`,
		Example: `  dragoman explain deployment/web -n shop
  dragoman explain clusterroles.rbac.authorization.k8s.io/reader -o json
  dragoman explain flinkdeployment/ledger -n payments --scripts
  dragoman explain -f deployment.yaml
  dragoman explain -f ledger.yaml --operation health ./flink customizations.yaml`,
		Args: func(_ *cobra.Command, args []string) error { return o.checkArgs(args) },
		RunE: func(c *cobra.Command, args []string) error {
			o.given = c.Flags().Changed
			return o.run(c.Context(), args)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.namespace, "namespace", "n", "", "namespace of the object; empty means that of the kubeconfig's context, with -f that of objects that have none")
	addKubeconfigFlag(f, &o.kubeconfig)
	f.StringVarP(&o.output, "output", "o", "text", "form of the result: text, json or yaml")
	f.BoolVar(&o.memberStatus, "member-status", false, "show the status that each member reported")
	f.BoolVar(&o.scripts, "scripts", false, "show which scripts answer about the object, and where")
	f.StringVarP(&o.object, "filename", "f", "", verb.InputUsage("objects"))
	f.StringArrayVar(&o.operations, "operation", nil, "ask this operation only; case does not matter; can be repeated")
	f.StringVar(&o.observed, "observed", "", "file with the observed object, for "+verb.OperationsWith(engine.ObservedParam))
	f.StringVar(&o.items, "items", "", "file with the status items, for "+verb.OperationsWith(engine.ItemsParam))
	f.Int64Var(&o.replicas, "replicas", 0, "number of replicas, for "+verb.OperationsWith(engine.CountParam))
	verb.AddStateFlag(f, &o.state)
	f.BoolVar(&o.failover, "failover", false, "the policy moves the object where it is unhealthy, for "+verb.OperationsWith(engine.FailoverParam))
	f.StringArrayVar(&o.parameters, "parameter", nil, verb.ParameterUsage)
	c.MarkFlagsMutuallyExclusive("filename", "kubeconfig")
	c.MarkFlagsMutuallyExclusive("filename", "member-status")
	return c
}

// checkArgs returns an error for arguments that are neither an object of a control plane nor, with
// a file, paths.
func (o *explainOptions) checkArgs(args []string) error {
	switch {
	case o.object != "":
		return verb.OnceStdin(slices.Concat([]string{o.object, o.observed, o.items}, o.state.Files, args))
	case len(args) == 1:
		return nil
	case len(args) == 0:
		return errors.New("name an object of the control plane by KIND/NAME, such as deployment/web, or a file by -f")
	}
	return fmt.Errorf("%d arguments: want one object of the control plane by KIND/NAME; paths go with -f FILE", len(args))
}

// run explains objects of a file, or has an object of a control plane explained.
func (o *explainOptions) run(ctx context.Context, args []string) error {
	if err := o.check(); err != nil {
		return err
	}
	if o.object != "" {
		return o.runFiles(args)
	}
	kind, name, ok := strings.Cut(args[0], "/")
	if !ok || kind == "" || name == "" {
		return fmt.Errorf("object %q: want KIND/NAME, such as deployment/web", args[0])
	}
	return o.runLive(ctx, kind, name)
}

// scriptFlags are the flags that are about what scripts answer.
var scriptFlags = []string{"operation", "observed", "items", "replicas", "state", "failover", "parameter"}

// check returns what is wrong with the flags.
func (o *explainOptions) check() error {
	if !slices.Contains([]string{"text", "json", "yaml"}, o.output) {
		return fmt.Errorf("output %q: want text, json or yaml", o.output)
	}
	for _, flag := range scriptFlags {
		if o.given(flag) && !o.scripts && o.object == "" {
			return fmt.Errorf("--%s is about what scripts answer: pass --scripts, or a file by -f", flag)
		}
	}
	if o.given("parameter") && o.object == "" {
		return errors.New("--parameter is for the bundles of a PATH: those of a control plane have the parameters of their ScriptBundles")
	}
	for _, name := range o.operations {
		op, err := engine.ParseOperation(name)
		if err != nil {
			return err
		}
		if !slices.Contains(o.asked, op.Name) {
			o.asked = append(o.asked, op.Name)
		}
	}
	return verb.CheckReplicas(o.given("replicas"), o.replicas)
}
