// SPDX-License-Identifier: Apache-2.0

package dependencies

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/controllers/decide/binding"
	"github.com/dragoman-io/dragoman/controllers/internal/index"
	"github.com/dragoman-io/dragoman/controllers/internal/templates"
	"github.com/dragoman-io/dragoman/engine"
)

// follows reports whether objects of a kind are asked what they depend on where something else
// depends on them: those that a rule was made for. The generic rules look for pod templates in anything, and
// would be given each ConfigMap.
func (c *Controller[B]) follows(kind schema.GroupVersionKind) bool {
	return c.Interpreter.Snapshot().Knows(kind, engine.InterpretDependency)
}

// follow adds to references what the objects that they name depend on themselves. failed is why some of that is
// not known: what the binding notes stays with the references then. err is that of a read, after which they are
// not to be noted.
func (c *Controller[B]) follow(ctx context.Context, b B, references []binding.Reference) (all []binding.Reference, failed, unread error) {
	// What is noted is wanted still: the watch of a kind that nobody wants for a moment would end.
	wanted := append(slices.Clone(references), binding.Dependencies(b)...)
	ask := func(r binding.Reference) (answer []binding.Reference, rule error) {
		if unread == nil {
			wanted = append(wanted, r)
			answer, rule, unread = c.ask(ctx, b, r, wanted)
		}
		return answer, rule
	}
	all, failed = binding.Follow(b, references, c.follows, ask)
	if failed != nil {
		all = binding.Unite(all, binding.Dependencies(b))
	}
	return all, failed, unread
}

// ask returns what the object that a reference names depends on, nothing where it does not exist. failed is
// the error of its script, err that of the read. The kinds of wanted are watched, so that it is read from the cache.
func (c *Controller[B]) ask(ctx context.Context, b B, r binding.Reference, wanted []binding.Reference) (answer []binding.Reference, failed, err error) {
	key := templates.Key{GroupVersionKind: schema.FromAPIVersionAndKind(r.APIVersion, r.Kind), NamespacedName: types.NamespacedName{Namespace: r.Namespace, Name: r.Name}}
	if c.Skipped.Object(key.GroupVersionKind, key.Namespace, key.Name) {
		return nil, nil, nil
	}
	unserved, err := c.watch(ctx, b, wanted)
	if err != nil || slices.Contains(unserved, key.GroupVersionKind) {
		return nil, nil, err
	}
	object, err := c.Templates.Get(ctx, key)
	if apierrors.IsNotFound(err) {
		return nil, nil, nil // its own event enqueues the binding once it is there
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read %s, on which binding %s depends: %w", key, b.GetName(), err)
	}
	answer, failed = c.Interpreter.Snapshot().Dependencies(object)
	return answer, failed, nil
}

// answeredBy lists the bindings that the rules of a kind about dependencies matter to: those of its objects, and those that
// depend on these.
func (c *Controller[B]) answeredBy(ctx context.Context, kind schema.GroupVersionKind) ([]reconcile.Request, error) {
	own, err := index.BindingsOfKind(ctx, c.Client, kind)
	if err != nil {
		return nil, err
	}
	dependents, err := index.DependentsOfKind(ctx, c.Client, kind.GroupKind())
	for _, key := range dependents {
		if !slices.Contains(own, key) {
			own = append(own, key)
		}
	}
	return index.BindingRequests[B](own...), err
}
