// SPDX-License-Identifier: Apache-2.0

package builtin

// retainReplicas is the label of a template whose number of replicas each member cluster
// owns, as Karmada defines it.
const retainReplicas = "resourcetemplate.karmada.io/retain-replicas"

// retainsReplicas is kube.retainsReplicas.
func retainsReplicas() Function {
	return checked(Function{
		Name:    "retainsReplicas",
		Params:  []Param{{Name: "object", Type: "map", Optional: true, shape: wholeObject}},
		Result:  "boolean",
		Doc:     "Reports whether the object has the label resourcetemplate.karmada.io/retain-replicas with the value true: an autoscaler in the member cluster owns the number of replicas, and Retain keeps the observed one.",
		InPlace: true,
	}, func(args []any, m Meter) (any, error) {
		m.Charge(1)
		p := path{at: arg(args, 0), meter: m}
		for _, key := range [...]string{"metadata", "labels", retainReplicas} {
			p.step(key)
		}
		return p.at == "true", nil
	})
}
