// SPDX-License-Identifier: Apache-2.0

package override

import (
	"fmt"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/override/internal/image"
	"github.com/dragoman-io/dragoman/controllers/override/internal/pointer"
)

// images changes the image that the predicate names, or without one that of each container.
func images(object map[string]any, o *policyv1alpha1.ImageOverrider) (map[string]any, error) {
	if o.Predicate != nil {
		path, err := pointer.Parse(o.Predicate.Path)
		if err != nil {
			return nil, fmt.Errorf("predicate.path: %w", err)
		}
		return imageAt(object, path, o)
	}
	all, err := containers(object)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if object, err = imageAt(object, c.path.Join("image"), o); err != nil {
			return nil, err
		}
	}
	return object, nil
}

// imageAt changes the image in one field.
func imageAt(object map[string]any, path pointer.Pointer, o *policyv1alpha1.ImageOverrider) (map[string]any, error) {
	value, err := lookup(object, path)
	if err != nil {
		return nil, err
	}
	text, ok := value.(string)
	if !ok {
		return nil, fmt.Errorf("%s is %s, not an image", path, kindOf(value))
	}
	changed, err := changeImage(text, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if changed == text {
		return object, nil
	}
	return set(object, path, changed)
}

// changeImage returns the image with one of its parts changed.
func changeImage(text string, o *policyv1alpha1.ImageOverrider) (string, error) {
	if err := knownOperator(o.Operator); err != nil {
		return "", err
	}
	r, err := image.Parse(text)
	if err != nil {
		return "", err
	}
	switch o.Component {
	case policyv1alpha1.Registry:
		r.Registry = changePart(r.Registry, o)
	case policyv1alpha1.Repository:
		r.Repository = changePart(r.Repository, o)
	case policyv1alpha1.Tag:
		if o.Operator == policyv1alpha1.OverriderOpRemove {
			r = r.WithoutVersion()
		} else if r, err = r.WithVersion(changePart(r.Version(), o)); err != nil {
			return "", err
		}
	default:
		return "", fmt.Errorf("component %q is not Registry, Repository or Tag", o.Component)
	}
	if _, err := image.Parse(r.String()); err != nil {
		return "", fmt.Errorf("%s %s of image %q: %w", o.Operator, o.Component, text, err)
	}
	return r.String(), nil
}

// changePart returns a part of an image, changed: add appends.
func changePart(part string, o *policyv1alpha1.ImageOverrider) string {
	switch o.Operator {
	case policyv1alpha1.OverriderOpAdd:
		return part + o.Value
	case policyv1alpha1.OverriderOpReplace:
		return o.Value
	}
	return ""
}
