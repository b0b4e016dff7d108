// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
)

//go:embed manifests/resumed.yaml
var resumedYAML []byte

//go:embed manifests/resumed-policy.yaml
var resumedPolicyYAML []byte

// The cluster of the first affinity group of the policy, that of the second, and where the
// policies of examples/members say that jobs keep what they write.
const (
	resumedFrom, resumedIn = "member1", "member2"
	resumedRoot            = "s3://flink-state/checkpoints/"
	resumedName            = "resumed"
	// edits is how often the template is changed after the failover.
	edits = 5
)

// RunResume runs the failover of a FlinkDeployment for which the control plane knows no
// path: it says nowhere where it writes. An admission policy in member2, which must be
// active when this is called, sets the path by the label of the job. The path must be that
// of the policy, and stay there when the template is changed. What was applied is
// removed if all steps were seen.
func (s *Scenario) RunResume(ctx context.Context) error {
	return s.run(ctx, append(s.setUp(), s.resumeSteps()...))
}

// AdmissionActive waits until a FlinkDeployment with the label gets a path in member2; the
// kind must be installed there. Nothing is created.
func AdmissionActive(ctx context.Context, c dynamic.Interface) error {
	o, err := decode(resumedYAML)
	if err != nil {
		return err
	}
	o.SetName("probe")
	o.SetLabels(map[string]string{failoverLabel: "1a"})
	bounded, cancel := context.WithTimeout(ctx, seeWithin)
	defer cancel()
	var path string
	err = wait.PollUntilContextCancel(bounded, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		created, err := c.Resource(flinks).Namespace("default").Create(ctx, o, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err != nil {
			return false, err
		}
		path = at(created, "spec.job.initialSavepointPath")
		return path == resumedRoot+"1a", nil
	})
	if err != nil {
		return fmt.Errorf("a FlinkDeployment with the label gets the path %q: %w", path, err)
	}
	return nil
}

func (s *Scenario) resumeSteps() []step {
	var job, path string
	hub := func(kind schema.GroupVersionResource) dynamic.ResourceInterface {
		return s.hub.Resource(kind).Namespace("default")
	}
	patch := func(ctx context.Context, in dynamic.ResourceInterface, text string) error {
		_, err := in.Patch(ctx, resumedName, types.MergePatchType, []byte(text), metav1.PatchOptions{})
		return err
	}
	var arrived chan error
	return []step{
		{"applied FlinkDeployment resumed, which names no folder of checkpoints, and its policy", func(ctx context.Context) (string, error) {
			return "", s.applyAll(ctx, resumedPolicyYAML, resumedYAML)
		}},
		{"saw it run in " + resumedFrom, func(ctx context.Context) (string, error) {
			err := see(ctx, hub(bindings), resumedName+"-flinkdeployment", func(o *unstructured.Unstructured) error {
				if h := healthIn(o, resumedFrom); h != "Healthy" {
					return notYet("health in %s is %q", resumedFrom, h)
				}
				return nil
			})
			if err != nil {
				return "", err
			}
			return "", see(ctx, s.memberFlinks(resumedFrom), resumedName, func(o *unstructured.Unstructured) error {
				if job = at(o, "status.jobStatus.jobId"); job == "" {
					return notYet("the job has no id")
				}
				if p := at(o, "spec.job.initialSavepointPath"); p != "" {
					return fmt.Errorf("it starts from %q, although nothing was before it", p)
				}
				// Whoever sets paths by the id of a job sees to it that Flink can start from
				// them: Flink itself writes chk-N below this directory.
				s.Storage.Write(resumedRoot + job)
				return nil
			})
		}},
		{"made the job fail there", func(ctx context.Context) (string, error) {
			arrived = s.awaitResumed(ctx, &job, &path)
			return "job " + job, patch(ctx, s.memberFlinks(resumedFrom), `{"metadata":{"annotations":{"stand-in.dragoman.io/fail":"true"}}}`)
		}},
		{"saw the copy in " + resumedIn + ", with the label, and the path by the admission policy there", func(context.Context) (string, error) {
			err := <-arrived
			return fmt.Sprintf("labels[%s]: %s\nspec.job.initialSavepointPath: %s", failoverLabel, job, path), err
		}},
		{"left it where it is from now on", func(ctx context.Context) (string, error) {
			return "", patch(ctx, hub(policies), `{"spec":{"failover":{"application":{"decisionConditions":{"tolerationSeconds":3600}}}}}`)
		}},
		{fmt.Sprintf("changed the template %d times, and saw each change there, with the path", edits), func(ctx context.Context) (string, error) {
			for i := range edits {
				edit := fmt.Sprint("edit-", i)
				if err := patch(ctx, hub(flinks), fmt.Sprintf(`{"spec":{"flinkConfiguration":{"spec.edit":%q}}}`, edit)); err != nil {
					return "", err
				}
				if err := s.seeEdit(ctx, edit, path); err != nil {
					return "", fmt.Errorf("%s: %w", edit, err)
				}
			}
			return "", nil
		}},
		{"removed them", func(ctx context.Context) (string, error) {
			for _, kind := range []schema.GroupVersionResource{flinks, policies} {
				if err := hub(kind).Delete(ctx, resumedName, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
					return "", err
				}
			}
			return "", see(ctx, s.memberFlinks(resumedIn), resumedName, func(o *unstructured.Unstructured) error {
				if o != nil {
					return notYet("it is still there")
				}
				return nil
			})
		}},
	}
}

// awaitResumed watches for the first version of the copy in the second cluster: the label
// goes once the job is healthy.
func (s *Scenario) awaitResumed(ctx context.Context, job, path *string) chan error {
	out := make(chan error, 1)
	go func() {
		out <- see(ctx, s.memberFlinks(resumedIn), resumedName, func(o *unstructured.Unstructured) error {
			if o == nil {
				return notYet("no copy in %s", resumedIn)
			}
			label, p := o.GetLabels()[failoverLabel], at(o, "spec.job.initialSavepointPath")
			if label != *job || p != resumedRoot+*job {
				return fmt.Errorf("the label is %q and initialSavepointPath %q, want job %s and %s", label, p, *job, resumedRoot+*job)
			}
			*path = p
			return nil
		})
	}()
	return out
}

// seeEdit waits for a change of the template to arrive in the second cluster; the path must
// be there all the time.
func (s *Scenario) seeEdit(ctx context.Context, edit, path string) error {
	return see(ctx, s.memberFlinks(resumedIn), resumedName, func(o *unstructured.Unstructured) error {
		if o == nil {
			return fmt.Errorf("the copy in %s is gone", resumedIn)
		}
		if p := at(o, "spec.job.initialSavepointPath"); p != path {
			return fmt.Errorf("initialSavepointPath is %q, want %q", p, path)
		}
		configuration, _, _ := unstructured.NestedStringMap(o.Object, "spec", "flinkConfiguration")
		if configuration["spec.edit"] != edit {
			return notYet("the change did not arrive: flinkConfiguration is %v", configuration)
		}
		return nil
	})
}
