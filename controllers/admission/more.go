// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"errors"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/scope"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/script"
)

// more returns what is wrong with an object that needs more than the object: others, the
// options, or the compiler of the engine. Beside that it returns warnings.
func (c *Controller) more(ctx context.Context, r admission.Request, object runtime.Object) (field.ErrorList, []string) {
	switch o := object.(type) {
	case policyv1alpha1.Policy:
		if r.Operation == admissionv1.Create {
			return c.ownID(ctx, o), nil
		}
	case *policyv1alpha1.ClusterTaintPolicy:
		return c.evicting(o), nil
	case *configv1alpha1.ResourceInterpreterCustomization:
		return c.compiles(ctx, "scripts", "Compiled", func() []error {
			_, errs := c.Compiler.Customization(o)
			return errs
		})
	case *interpreterv1alpha1.PlacementRule:
		return c.compiles(ctx, "expressions", interpreterv1alpha1.ConditionActive, func() []error {
			_, errs := c.Compiler.PlacementRule(o)
			return errs
		})
	}
	return nil, nil
}

var errTaken = errors.New("another policy has this permanent ID, which the control plane makes; remove the label")

// ownID refuses a new policy with the permanent id of another one, which would claim and
// release the templates of that one. A policy that is restored brings its own.
func (c *Controller) ownID(ctx context.Context, policy policyv1alpha1.Policy) field.ErrorList {
	id, label := scope.PolicyID(policy), scope.PolicyIDLabel(policy)
	if id == "" {
		return nil
	}
	path := field.NewPath("metadata", "labels").Key(label)
	for _, list := range []client.ObjectList{&policyv1alpha1.PropagationPolicyList{}, &policyv1alpha1.ClusterPropagationPolicyList{}} {
		if err := c.Client.List(ctx, list, client.MatchingLabels{label: id}); err != nil {
			return field.ErrorList{field.InternalError(path, err)}
		}
		err := meta.EachListItem(list, func(other runtime.Object) error {
			if o := other.(policyv1alpha1.Policy); o.GetNamespace() != policy.GetNamespace() || o.GetName() != policy.GetName() {
				return errTaken
			}
			return nil // what is created again in its place, which the cache still has
		})
		if err != nil {
			return field.ErrorList{field.Invalid(path, id, err.Error())}
		}
	}
	return nil
}

// evicting refuses taints that evict, unless an option allows them.
func (c *Controller) evicting(policy *policyv1alpha1.ClusterTaintPolicy) field.ErrorList {
	if c.options.AllowNoExecute {
		return nil
	}
	var errs field.ErrorList
	for i, taint := range policy.Spec.Taints {
		if taint.Effect == corev1.TaintEffectNoExecute {
			errs = append(errs, field.Forbidden(field.NewPath("spec", "taints").Index(i).Child("effect"),
				"NoExecute evicts all that runs on a cluster; allow it with --allow-no-execute-taint-policy, or use NoSchedule"))
		}
	}
	return errs
}

// compilePatience is how long an object waits for others to be compiled. It is less
// than the timeout of the webhook.
const compilePatience = 5 * time.Second

// compiles compiles what an object has, within the limits of the engine, one object at a time. One
// that does not get its turn is stored all the same: its controller compiles it, and reports
// in a condition what is wrong.
func (c *Controller) compiles(ctx context.Context, what, condition string, compile func() []error) (field.ErrorList, []string) {
	limited, cancel := context.WithTimeout(ctx, compilePatience)
	defer cancel()
	select {
	case c.compiling <- struct{}{}:
		defer func() { <-c.compiling }()
	case <-limited.Done():
		return nil, []string{"the " + what + " were not compiled, because others were; the condition " + condition + " will report whether they are good"}
	}
	var errs field.ErrorList
	for _, err := range compile() {
		errs = append(errs, scriptError(err))
	}
	return errs, nil
}

// scriptError returns what is wrong with a script, with its file and line.
func scriptError(err error) *field.Error {
	invalid := &field.Error{Type: field.ErrorTypeInvalid, Field: "spec", BadValue: field.OmitValueType{}, Detail: err.Error()}
	if at, ok := errors.AsType[*engine.FieldError](err); ok {
		invalid.Field, invalid.Detail = at.Field, at.Err.Error()
		if failure, ok := errors.AsType[*script.Error](at.Err); ok && failure.Snippet != "" {
			invalid.Detail += "\n" + failure.Snippet
		}
	}
	return invalid
}
