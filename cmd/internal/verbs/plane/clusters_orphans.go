// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	"github.com/dragoman-io/dragoman/api/names"
	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/controllers/cluster/orphans"
)

// orphansOptions are the flags of clusters orphans.
type orphansOptions struct {
	streams    verb.Streams
	kubeconfig string
	owner      string
	output     string
	delete     bool
}

func newClustersOrphansCommand(streams verb.Streams) *cobra.Command {
	o := &orphansOptions{streams: streams}
	c := &cobra.Command{
		Use:   "orphans CLUSTER",
		Short: "Show what an earlier membership left in a cluster, and delete it with --delete",
		Long: `orphans lists the objects of a cluster that this control plane wrote for a Work that is gone, and
that no binding wants there: what is left when a cluster leaves while it cannot be reached. The
control plane never deletes them by itself. It is asked with the credentials of its Cluster, as the
manager asks it.

A control plane that was made again from Git, or restored from a snapshot, does not know what it
has not got yet: an object without a binding may be wanted by a template that was not applied yet,
and is taken over with all that runs in it when the template comes. So apply all templates first,
and look at what is listed before you add --delete. The answer says where that may be so.

With --delete each object is looked at once more, deleted if it is an orphan still, and noted in an
event of the Cluster; then the manager counts again.

Exit codes: 0 listed, or all of them deleted; 1 some were not deleted; 2 usage, or the control plane or
the cluster could not be read.`,
		Example: `  dragoman clusters orphans member1
  dragoman clusters orphans member1 --delete`,
		Args: oneClusterArg,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	f := c.Flags()
	addKubeconfigFlag(f, &o.kubeconfig)
	f.StringVar(&o.owner, "cluster-owner", "", "the manager's: name of the control plane on the objects of members; empty means the UID of its namespace kube-system")
	f.BoolVar(&o.delete, "delete", false, "delete them")
	f.StringVarP(&o.output, "output", "o", "text", "form of the output: text or json")
	return c
}

// leftovers is what was left in a cluster, as it is printed.
type leftovers struct {
	Cluster string `json:"cluster"`
	// Owner names the control plane on the objects.
	Owner   string    `json:"owner"`
	Orphans []*orphan `json:"orphans"`
	// Hints are why the objects may be wanted all the same, or not all were found.
	Hints []string `json:"hints,omitempty"`
}

// orphan is one object.
type orphan struct {
	orphans.Orphan `json:"-"`

	Group     string      `json:"group,omitempty"`
	Version   string      `json:"version"`
	Kind      string      `json:"kind"`
	Namespace string      `json:"namespace,omitempty"`
	Name      string      `json:"name"`
	UID       string      `json:"uid"`
	Created   metav1.Time `json:"created"`
	// Work is the name of the Work that it was written for.
	Work   string         `json:"work"`
	Reason orphans.Reason `json:"reason"`
	// Deleted is false also for one that is no orphan any more; Error is why one was not.
	Deleted bool   `json:"deleted"`
	Error   string `json:"error,omitempty"`
}

// reasonTexts are what the reasons mean.
var reasonTexts = map[orphans.Reason]string{
	orphans.NoBinding:       "no binding",
	orphans.NotPlaced:       "its binding is in no cluster",
	orphans.PlacedElsewhere: "its binding is in other clusters",
}

// refuseDelete returns why nothing may be deleted in a cluster, if that is asked for.
func (o *orphansOptions) refuseDelete(cluster *clusterv1alpha1.Cluster) error {
	switch {
	case o.delete && cluster.IDConflict() == clusterv1alpha1.ReasonOtherCluster:
		return fmt.Errorf("nothing is deleted in cluster %s: another cluster is behind its name, see its condition %s", cluster.Name, clusterv1alpha1.ClusterConditionIDConflict)
	case o.delete && cluster.OwnerConflict():
		return fmt.Errorf("nothing is deleted in cluster %s: another control plane of the same owner writes to it, see its condition %s", cluster.Name, clusterv1alpha1.ClusterConditionOwnerConflict)
	}
	return nil
}

func (o *orphansOptions) run(ctx context.Context, name string) error {
	if o.output != "text" && o.output != "json" {
		return fmt.Errorf("output %q: want text or json", o.output)
	}
	open := openReadOnlyPlane
	if o.delete {
		open = openPlane
	}
	p, err := open(o.kubeconfig, "")
	if err != nil {
		return err
	}
	cluster := &clusterv1alpha1.Cluster{}
	if err := p.client.Get(ctx, client.ObjectKey{Name: name}, cluster); err != nil {
		return fmt.Errorf("read cluster %s: %w", name, err)
	}
	if err := o.refuseDelete(cluster); err != nil {
		return err
	}
	finder, err := orphans.Open(ctx, p.client, cluster, o.owner)
	if err != nil {
		return err
	}
	defer finder.Close()
	found, err := finder.Find(ctx)
	if err != nil {
		return fmt.Errorf("look through cluster %s: %w", name, err)
	}
	left := &leftovers{Cluster: name, Owner: finder.Owner, Orphans: []*orphan{}}
	for _, one := range found.Orphans {
		left.Orphans = append(left.Orphans, &orphan{
			Orphan: one, Group: one.Resource.Group, Version: one.Resource.Version, Kind: one.Kind, Namespace: one.Namespace, Name: one.Name,
			UID: string(one.UID), Created: one.Created, Work: one.Work, Reason: one.Reason,
		})
	}
	since, err := p.knownSince(ctx, name)
	if err != nil {
		return err
	}
	left.Hints = hintsOf(name, found, since)
	if !o.delete {
		return o.print(left, time.Now())
	}
	return o.deleteAll(ctx, &deletion{plane: p, finder: finder, cluster: cluster}, left)
}

// knownSince returns since when a control plane has known a cluster of this name; zero where
// it has no execution namespace.
func (p *controlPlane) knownSince(ctx context.Context, cluster string) (metav1.Time, error) {
	space := &corev1.Namespace{}
	err := p.client.Get(ctx, client.ObjectKey{Name: names.ExecutionSpace(cluster)}, space)
	if client.IgnoreNotFound(err) != nil {
		return metav1.Time{}, fmt.Errorf("read the execution namespace of cluster %s: %w", cluster, err)
	}
	return space.CreationTimestamp, nil
}

// hintsOf returns why what was found may be wanted all the same, and what was not looked at.
func hintsOf(cluster string, found orphans.Found, since metav1.Time) []string {
	var hints []string
	older, unknown := 0, 0
	for _, o := range found.Orphans {
		if since.IsZero() || o.Created.Before(&since) {
			older++
		}
		if o.Reason != orphans.PlacedElsewhere {
			unknown++
		}
	}
	if older > 0 {
		when := "was made at " + since.UTC().Format(time.RFC3339)
		if since.IsZero() {
			when = "is not there"
		}
		hints = append(hints, fmt.Sprintf("%d of %d are older than what this control plane knows of cluster %s, whose execution namespace %s: it joined again, or the store is new or restored",
			older, len(found.Orphans), cluster, when))
	}
	if unknown > 0 {
		hints = append(hints, fmt.Sprintf("%d of %d may be wanted by templates that were not applied or placed yet, and are taken over then; apply all templates before you delete",
			unknown, len(found.Orphans)))
	}
	for _, owner := range slices.Sorted(maps.Keys(found.Foreign)) {
		hints = append(hints, fmt.Sprintf("not listed: %d that control plane %s wrote for cluster %s; if that was this one, use --cluster-owner", found.Foreign[owner], owner, cluster))
	}
	if len(found.Refused) > 0 {
		hints = append(hints, fmt.Sprintf("not looked at, since the control plane may not list them there: %s", strings.Join(found.Refused, ", ")))
	}
	return hints
}

// print prints what was found.
func (o *orphansOptions) print(left *leftovers, now time.Time) error {
	if o.output == "json" {
		return writeJSON(o.streams.Out, left)
	}
	if len(left.Orphans) == 0 {
		fmt.Fprintf(o.streams.Out, "nothing of an earlier membership is left in cluster %s\n", left.Cluster)
	} else {
		w := tabwriter.NewWriter(o.streams.Out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "KIND\tNAMESPACE\tNAME\tWORK\tAGE\tWHY")
		for _, one := range left.Orphans {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", one.Kind, cmp.Or(one.Namespace, "-"), one.Name, one.Work, ageOf(one.Created, now), reasonTexts[one.Reason])
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return o.printHints(left)
}

func (o *orphansOptions) printHints(left *leftovers) error {
	for _, hint := range left.Hints {
		if _, err := fmt.Fprintf(o.streams.Out, "note: %s\n", hint); err != nil {
			return err
		}
	}
	return nil
}
