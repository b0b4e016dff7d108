// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestConfigOfNothing(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	t.Setenv("KUBERNETES_SERVICE_PORT", "")
	_, err := configOf("")
	if err == nil || !strings.Contains(err.Error(), "--kubeconfig") || strings.Contains(err.Error(), "KUBERNETES_MASTER") {
		t.Errorf("got %v, want what to do", err)
	}
}

func TestExplained(t *testing.T) {
	missing := fmt.Errorf("add index: %w", &meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: "work.karmada.io", Kind: "Work"}, SearchedVersions: []string{"v1alpha1"}})
	if err := explained(missing); !strings.Contains(err.Error(), "does not serve Work.work.karmada.io: apply the CRDs") || !errors.Is(err, missing) {
		t.Errorf("got %v", err)
	}
	other := errors.New("other")
	if err := explained(other); err != other {
		t.Errorf("got %v, want it as it is", err)
	}
	if explained(nil) != nil {
		t.Error("no error has an explanation")
	}
}
