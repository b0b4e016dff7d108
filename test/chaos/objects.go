// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/test/fixture"
)

const (
	namespace = "chaos"
	// jobLabel is the label that has the state.
	jobLabel = "chaos.example/job"
	// modeLabel is the label by which the policies choose.
	modeLabel = "chaos.example/mode"
	directly  = "directly"
	gradually = "gracefully"
	// toleration is for how long an application may be unhealthy, in seconds.
	toleration = 2
)

// health has an application be healthy as its status says.
func health() *configv1alpha1.ResourceInterpreterCustomization {
	cr := &configv1alpha1.ResourceInterpreterCustomization{ObjectMeta: metav1.ObjectMeta{Name: "gadgets"}}
	cr.Spec.Target.APIVersion, cr.Spec.Target.Kind = fixture.GadgetKind.ToAPIVersionAndKind()
	cr.Spec.Customizations.HealthInterpretation = &configv1alpha1.Script{
		LuaScript: "function InterpretHealth(o)\n  return o.status ~= nil and o.status.ok == true\nend\n",
	}
	return cr
}

// policies are those of both modes: one cluster, and the job as the state.
func policies() []client.Object {
	grace := int32(600)
	var all []client.Object
	for _, mode := range []string{directly, gradually} {
		p := fixture.Policy(namespace, mode, fixture.Labelled(fixture.GadgetKind, modeLabel, mode)).(*policyv1alpha1.PropagationPolicy)
		p.Spec.Placement = policyv1alpha1.Placement{SpreadConstraints: []policyv1alpha1.SpreadConstraint{{
			SpreadByField: policyv1alpha1.SpreadByFieldCluster, MinGroups: 1, MaxGroups: 1,
		}}}
		a := &policyv1alpha1.ApplicationFailoverBehavior{
			DecisionConditions: policyv1alpha1.DecisionConditions{TolerationSeconds: new(int32(toleration))},
			PurgeMode:          policyv1alpha1.PurgeModeDirectly,
			StatePreservation:  &policyv1alpha1.StatePreservation{Rules: []policyv1alpha1.StatePreservationRule{{AliasLabelName: jobLabel, JSONPath: "{ .job }"}}},
		}
		if mode == gradually {
			a.PurgeMode, a.GracePeriodSeconds = policyv1alpha1.PurgeModeGracefully, &grace
		}
		p.Spec.Failover = &policyv1alpha1.FailoverBehavior{Application: a}
		p.Spec.PropagateDeps = true
		all = append(all, p)
	}
	return all
}

// nameOf returns the name of an application, modeOf its mode.
func nameOf(i int) string { return fmt.Sprintf("application-%02d", i) }

func modeOf(i int) string {
	if i%2 == 0 {
		return directly
	}
	return gradually
}

// application returns the template of an application.
func application(i int) client.Object {
	o := fixture.Gadget(namespace, nameOf(i), nil)
	o.SetLabels(map[string]string{modeLabel: modeOf(i)})
	return o
}
