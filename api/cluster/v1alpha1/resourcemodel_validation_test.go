// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const noEnd = "9223372036854775807"

func grade(number uint, ranges ...ResourceModelRange) ResourceModel {
	return ResourceModel{Grade: number, Ranges: ranges}
}

func between(name corev1.ResourceName, start, end string) ResourceModelRange {
	return ResourceModelRange{Name: name, Min: resource.MustParse(start), Max: resource.MustParse(end)}
}

func TestValidateModels(t *testing.T) {
	cases := map[string]struct {
		reason string
		models []ResourceModel
		want   []string
	}{
		"Default": {
			reason: "the defaults are good",
			models: DefaultResourceModels(),
		},
		"AnyOrder": {
			reason: "grades may stand in any order",
			models: []ResourceModel{grade(1, between("cpu", "2", noEnd)), grade(0, between("cpu", "0", "2"))},
		},
		"SameGrade": {
			reason: "a grade stands once",
			models: []ResourceModel{grade(0, between("cpu", "0", "2")), grade(0, between("cpu", "2", noEnd))},
			want:   []string{"FieldValueDuplicate [1].grade"},
		},
		"Gap": {
			reason: "ranges start at 0, meet, and go on for ever",
			models: []ResourceModel{grade(0, between("cpu", "1", "2")), grade(1, between("cpu", "3", "4"))},
			want:   []string{"FieldValueInvalid [0].ranges[0].min", "FieldValueInvalid [1].ranges[0].min", "FieldValueInvalid [1].ranges[0].max"},
		},
		"Empty": {
			reason: "a range is not empty, and a grade has one",
			models: []ResourceModel{grade(0, between("cpu", "0", "0")), grade(1)},
			want:   []string{"FieldValueInvalid [0].ranges[0].max", "FieldValueRequired [1].ranges"},
		},
		"OtherResources": {
			reason: "all grades have the same resources",
			models: []ResourceModel{
				grade(0, between("cpu", "0", "2"), between("cpu", "2", "3")),
				grade(1, between("memory", "0", noEnd)),
			},
			want: []string{
				"FieldValueDuplicate [0].ranges[1].name",
				"FieldValueRequired [1].ranges",
				"FieldValueForbidden [1].ranges",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var root *field.Path
			wantErrors(t, tc.reason, validateModels(tc.models, root), tc.want...)
		})
	}
}
