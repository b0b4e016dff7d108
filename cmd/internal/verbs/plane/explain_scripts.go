// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/dragoman-io/dragoman/cmd/internal/verbs/verb"
	"github.com/dragoman-io/dragoman/engine"
	"github.com/dragoman-io/dragoman/engine/author/provenance"
	"github.com/dragoman-io/dragoman/engine/author/source"
)

// explanation is what explain prints of scripts as JSON.
type explanation struct {
	Objects []provenance.Object `json:"objects"`
	// LeftOut are the rule sets that are not valid, and so do not answer.
	LeftOut []string `json:"leftOut,omitempty"`
}

// arguments reads what operations take beside the object.
func (o *explainOptions) arguments() (provenance.Arguments, error) {
	a := provenance.Arguments{Failover: o.failover}
	var err error
	if a.State, err = o.state.Read(o.streams); err != nil {
		return a, err
	}
	if o.given("replicas") {
		a.Replicas = &o.replicas
	}
	if o.observed != "" {
		d, err := o.streams.Document(o.observed)
		if err != nil {
			return a, err
		}
		a.Observed = d.Object
	}
	if o.items != "" {
		name, data, err := o.streams.Read(o.items)
		if err != nil {
			return a, err
		}
		if a.Items, err = source.StatusItems(name, data); err != nil {
			return a, err
		}
	}
	return a, nil
}

// ask asks rules about an object.
func (o *explainOptions) ask(rules *provenance.Rules, object *unstructured.Unstructured) (provenance.Object, error) {
	arguments, err := o.arguments()
	if err != nil {
		return provenance.Object{}, err
	}
	questions, err := rules.Questions(object, arguments, o.asked)
	if err != nil {
		return provenance.Object{}, err
	}
	return rules.Explain(questions), nil
}

// finishScripts returns the error that the exit code is made of: those of scripts, or that none
// answered.
func (o *explainOptions) finishScripts(all []provenance.Object) error {
	var (
		errs     []error
		answered bool
		kinds    []string
	)
	for _, object := range all {
		errs = append(errs, object.Err())
		answered = answered || object.Answered()
		kinds = append(kinds, object.APIVersion+" "+object.Kind)
	}
	switch err := errors.Join(errs...); {
	case err != nil:
		return err
	case answered:
		return nil
	}
	asked := "anything"
	if len(o.asked) > 0 {
		asked = joinOperations(o.asked)
	}
	return verb.Nothingf("no script answers %s for %s", asked, strings.Join(eachOnce(kinds), " and "))
}

// joinOperations returns operations as a text.
func joinOperations(ops []engine.Op) string {
	names := make([]string, len(ops))
	for i, op := range ops {
		names[i] = string(op)
	}
	return strings.Join(names, " or ")
}
