// SPDX-License-Identifier: Apache-2.0

package override

import (
	"fmt"

	policyv1alpha1 "github.com/dragoman-io/dragoman/api/policy/v1alpha1"
	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/image"
	"github.com/dragoman-io/dragoman/controllers/decide/override/internal/pointer"
)

// images changes the image that the predicate names, or without one that of each container.
func images(d *draft, o *policyv1alpha1.ImageOverrider) error {
	if o.Predicate != nil {
		path, err := d.path(o.Predicate.Path)
		if err != nil {
			return fmt.Errorf("predicate.path: %w", err)
		}
		return imageAt(d, path, o)
	}
	all, err := containers(d)
	if err != nil {
		return err
	}
	for i := range all.items {
		if err := imageAt(d, all.path(i).Join("image"), o); err != nil {
			return err
		}
	}
	return nil
}

// valuesPerImage is what reading an image and writing it again costs beside its text, which
// costs a value for each byte.
const valuesPerImage = 16

// imageAt changes the image in one field.
func imageAt(d *draft, path pointer.Pointer, o *policyv1alpha1.ImageOverrider) error {
	value, err := lookup(d.object, path)
	if err != nil {
		return err
	}
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("%s is %s, not an image", path, kindOf(value))
	}
	if err := d.budget.Take(len(path) + valuesPerImage + len(text) + len(o.Value)); err != nil {
		return err
	}
	changed, err := changeImage(text, o)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if changed == text {
		return nil
	}
	return d.set(path, changed)
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
