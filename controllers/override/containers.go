// SPDX-License-Identifier: Apache-2.0

package override

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/dragoman-io/dragoman/controllers/override/internal/pointer"
)

// podSpecs are where the kinds that the published API names have their pod's spec.
var podSpecs = map[schema.GroupKind]pointer.Pointer{
	{Kind: "Pod"}:                        {"spec"},
	{Group: "apps", Kind: "DaemonSet"}:   {"spec", "template", "spec"},
	{Group: "apps", Kind: "Deployment"}:  {"spec", "template", "spec"},
	{Group: "apps", Kind: "ReplicaSet"}:  {"spec", "template", "spec"},
	{Group: "apps", Kind: "StatefulSet"}: {"spec", "template", "spec"},
	{Group: "batch", Kind: "Job"}:        {"spec", "template", "spec"},
}

// container is a container of an object and its place there.
type container struct {
	path   pointer.Pointer
	fields map[string]any
}

// containers returns the containers of an object, without init containers; none if its
// kind is not one of podSpecs.
func containers(object map[string]any) ([]container, error) {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	podSpec, known := podSpecs[schema.FromAPIVersionAndKind(apiVersion, kind).GroupKind()]
	if !known {
		return nil, nil
	}
	path := podSpec.Join("containers")
	value, err := lookup(object, path)
	if err != nil {
		return nil, nil //nolint:nilerr // an object without containers has nothing to change
	}
	items, ok := value.([]any)
	if !ok && value != nil {
		return nil, fmt.Errorf("%s is %s, not a list", path, kindOf(value))
	}
	all := make([]container, 0, len(items))
	for i, item := range items {
		at := path.Join(strconv.Itoa(i))
		fields, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s is %s, not a map", at, kindOf(item))
		}
		all = append(all, container{path: at, fields: fields})
	}
	return all, nil
}
