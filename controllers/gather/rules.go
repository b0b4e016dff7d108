// SPDX-License-Identifier: Apache-2.0

package gather

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	interpreterv1alpha1 "github.com/dragoman-io/dragoman/api/interpreter/v1alpha1"
	workv1alpha2 "github.com/dragoman-io/dragoman/api/work/v1alpha2"
	"github.com/dragoman-io/dragoman/controllers/decide/placement"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/placementrule"
	"github.com/dragoman-io/dragoman/engine"
)

// placementRules lists the PlacementRules. A control plane without this kind has none, and who
// may not list them sees none.
func placementRules(ctx context.Context, c client.Reader) ([]*interpreterv1alpha1.PlacementRule, error) {
	all, err := index.List[*interpreterv1alpha1.PlacementRule](ctx, c, &interpreterv1alpha1.PlacementRuleList{})
	switch {
	case apierrors.IsForbidden(err), isUnserved(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("list PlacementRules: %w", err)
	}
	return all, nil
}

// RulesFor returns, for a binding, what PlacementRules say at a time; nil where none of them is
// for it. Without any rule it is nil itself.
func RulesFor(all []*interpreterv1alpha1.PlacementRule, now time.Time) (func(workv1alpha2.Binding) (placement.Rules, error), error) {
	if len(all) == 0 {
		return nil, nil
	}
	c, err := engine.NewCompiler()
	if err != nil {
		return nil, err
	}
	rules := placementrule.New(c)
	return func(b workv1alpha2.Binding) (placement.Rules, error) { return rules.Begin(all, b, now) }, nil
}

// rulesFor returns what the PlacementRules of a control plane say about a binding, nil where none
// is for it.
func rulesFor(ctx context.Context, c client.Reader, b workv1alpha2.Binding) (placement.Rules, error) {
	all, err := placementRules(ctx, c)
	if err != nil {
		return nil, err
	}
	of, err := RulesFor(all, time.Now())
	if err != nil || of == nil {
		return nil, err
	}
	return of(b)
}
