// SPDX-License-Identifier: Apache-2.0

package customization

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/dragoman-io/dragoman/api"
	configv1alpha1 "github.com/dragoman-io/dragoman/api/config/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/internal/activation"
	"github.com/dragoman-io/dragoman/controllers/internal/base"
	"github.com/dragoman-io/dragoman/engine"
)

// TestWritesNothingThatIsCompiled writes a status while the scripts of the same version are
// compiled. A client empties an object before it decodes an answer into it.
func TestWritesNothingThatIsCompiled(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	cr := aged("c", 1)
	cr.Generation = 1
	written := 0
	hub := fake.NewClientBuilder().WithScheme(scheme).WithObjects(cr).WithInterceptorFuncs(interceptor.Funcs{
		SubResourcePatch: func(_ context.Context, _ client.Client, _ string, o client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
			*o.(*configv1alpha1.ResourceInterpreterCustomization) = configv1alpha1.ResourceInterpreterCustomization{}
			written++
			return nil
		},
	}).Build()
	i := engine.NewInterpreter(engine.Options{})
	c := New(base.Deps{Client: hub, Compiler: &engine.Compiler{}, Activator: activation.New(i, &activation.Observer{}, nil), Interpreter: i})
	c.SetPatience(0)
	wrote, compiled := make(chan struct{}), make(chan string)
	c.CompileBy(func(cr *configv1alpha1.ResourceInterpreterCustomization) (engine.RuleSet, []error) {
		<-wrote
		compiled <- cr.Name
		return engine.RuleSet{}, nil
	})
	if _, err := c.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: "c"}}); err != nil {
		t.Fatal(err)
	}
	if written != 1 {
		t.Errorf("the status was written %d times, want 1", written)
	}
	close(wrote)
	if name := <-compiled; name != "c" {
		t.Errorf("compiled %q after the status was written, want c", name)
	}
}
