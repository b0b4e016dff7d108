// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	appsv1alpha1 "github.com/dragoman-io/dragoman/api/apps/v1alpha1"
	clusterv1alpha1 "github.com/dragoman-io/dragoman/api/cluster/v1alpha1"
	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	workv1alpha1 "github.com/dragoman-io/dragoman/api/work/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/decide/claim"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
)

// Input is what a control plane has of one template. Nothing in it is changed.
type Input struct {
	// Template is the object that is explained. Never nil.
	Template *unstructured.Unstructured
	// Gone means that there is no such object: Template has its kind and name alone, and Binding
	// and Works are what it left.
	Gone bool
	// Policies are the PropagationPolicies of its namespace and all
	// ClusterPropagationPolicies.
	Policies []policyv1alpha1.Policy
	// Missing has the names of the dependentOverrides that do not exist, by the policy that
	// waits for them.
	Missing map[policyv1alpha1.Policy][]string
	// Customizations are those for the kind of the template.
	Customizations []*configv1alpha1.ResourceInterpreterCustomization
	// Generic has the generic rules answer for the kind of the template what no customization
	// does, since no script of this program is about it.
	Generic bool
	// Binding is nil if there is none.
	Binding workv1alpha2.Binding
	// Peers are where the workloads are that its workload affinity is about.
	Peers placement.Peers
	// Rules are the placement rules for the binding; nil if there are none.
	Rules placement.Rules
	// Clusters are all members.
	Clusters []*clusterv1alpha1.Cluster
	// Rebalancers are the WorkloadRebalancers that name the template.
	Rebalancers []*appsv1alpha1.WorkloadRebalancer
	// Dependencies are what the binding says that the template depends on.
	Dependencies []Dependency
	// Works are those of the binding, by cluster; those of a namespace without a binding
	// have its name.
	Works map[string]*workv1alpha1.Work
	// MemberStatus includes the status that the members report.
	MemberStatus bool
}

// Explain follows the chain of a template.
func Explain(in Input) *Chain {
	if in.Gone {
		return in.gone()
	}
	choice := claim.Select(in.Policies, in.Template, false)
	c := &Chain{Object: title(in.Template.GetKind(), in.Template)}
	c.Links = append(c.Links, in.template())
	follows := in.Binding == nil && choice.Policy == nil && in.IsNamespace()
	switch {
	case c.Links[0].State == Broken:
		c.Links = append(c.Links, unreached("policy", "no policy applies to it"))
	case follows:
		c.Links = append(c.Links, in.followPolicy())
	default:
		c.Links = append(c.Links, in.policy(choice.Policy))
	}
	if len(in.Customizations) > 0 || in.Generic {
		c.Links = append(c.Links, in.scripts())
	}
	if follows && c.find() == "" {
		c.Links = append(c.Links, in.followed()...)
	} else if in.Binding == nil {
		c.Links = append(c.Links, in.noBinding(c.find() != ""))
		for _, name := range []string{"clusters", "works", "members", "status"} {
			c.Links = append(c.Links, unreached(name, "there is no binding"))
		}
	} else {
		c.Links = append(c.Links, in.binding(), in.clusters(), in.works(), in.members(), in.status())
	}
	c.Broken = c.find()
	in.mind(c)
	return c
}

// mind has a chain without a fault wait where its binding says that it is not ready: no link knows
// why.
func (in Input) mind(c *Chain) {
	if c.Broken != "" || in.Binding == nil || in.Template.GetDeletionTimestamp() != nil {
		return
	}
	ready := binding.Ready(in.Binding)
	if ready.Status != metav1.ConditionFalse {
		return
	}
	i := slices.IndexFunc(c.Links, func(l Link) bool { return l.Name == "binding" })
	l := &c.Links[i]
	l.State, l.Reason, l.Message = Waiting, ready.Reason, "the binding is not ready: "+ready.Message
	l.Advice = "if this stays, look at the conditions of the binding"
	c.Broken = c.find()
}

// unreached returns a link that does not exist because of an earlier one.
func unreached(name, why string) Link {
	return Link{Name: name, Finding: Finding{State: Unreached, Message: why}}
}

// named is an object with a name.
type named interface {
	GetNamespace() string
	GetName() string
}

// title returns kind and name of an object, as in Deployment shop/web.
func title(kind string, o named) string {
	if o.GetNamespace() == "" {
		return kind + " " + o.GetName()
	}
	return fmt.Sprintf("%s %s/%s", kind, o.GetNamespace(), o.GetName())
}

// bindingTitle returns kind and name of a binding of a namespace.
func bindingTitle(b named) string {
	if b.GetNamespace() == "" {
		return title("ClusterResourceBinding", b)
	}
	return title("ResourceBinding", b)
}
