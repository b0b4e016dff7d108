// SPDX-License-Identifier: Apache-2.0

package builtin

import "maps"

// The labels by which Kueue knows what is in a queue: the name of the queue, and that of Pods
// and other kinds without a field to suspend them (kubernetes-sigs/kueue,
// pkg/controller/constants).
const (
	queueName    = "kueue.x-k8s.io/queue-name"
	queueManaged = "kueue.x-k8s.io/managed"
)

// inQueue is kube.inQueue.
func inQueue() Function {
	return checked(Function{
		Name:    "inQueue",
		Params:  []Param{{Name: "template", Type: "map", Optional: true, shape: wholeObject}, {Name: "observed", Type: "map", Optional: true, shape: wholeObject}},
		Result:  "boolean",
		Doc:     "Reports whether Kueue in the member cluster decides when an object runs: the template or the observed object has the label kueue.x-k8s.io/queue-name, or kueue.x-k8s.io/managed with the value true. Kueue itself adds the label where a namespace has a queue by default.",
		InPlace: true,
	}, func(args []any, m Meter) (any, error) {
		m.Charge(2)
		for i := range 2 {
			if label(arg(args, i), queueName, m) != nil || label(arg(args, i), queueManaged, m) == "true" {
				return true, nil
			}
		}
		return false, nil
	})
}

// label returns a label of an object that is read in place, nil where it has none.
func label(object any, key string, m Meter) any {
	p := path{at: object, meter: m}
	for _, key := range [...]string{"metadata", "labels", key} {
		p.step(key)
	}
	return p.at
}

// retainAdmission is kube.retainAdmission.
func retainAdmission() Function {
	return checked(Function{
		Name:   "retainAdmission",
		Params: []Param{{Name: "podTemplate", Type: "map", Optional: true, shape: podTemplate}, {Name: "observed", Type: "map", Optional: true, shape: podTemplate}},
		Result: "map or nil",
		Doc:    "Returns a pod template with what Kueue writes into that of an object which it admits: nodeSelector, tolerations and schedulingGates are those of the observed template, and its labels and annotations are added where the pod template has none of the key. Neither argument changes. It is the pod template itself where there is no observed one.",
	}, func(args []any, m Meter) (any, error) {
		own, err := asMap("podTemplate", arg(args, 0))
		if err != nil {
			return refused(m, err)
		}
		there, err := asMap("observed", arg(args, 1))
		if err != nil {
			return refused(m, err)
		}
		m.Charge(4)
		if there == nil {
			return arg(args, 0), nil
		}
		a := admission{own: own, there: there, meter: m}
		return a.template(), nil
	})
}

// admission is a pod template and the one that Kueue wrote into.
type admission struct {
	own, there map[string]any
	meter      Meter
}

// template returns the pod template with what Kueue wrote.
func (a admission) template() map[string]any {
	template := a.clone(a.own)
	a.put(template, "metadata", a.metadata())
	a.put(template, "spec", a.spec())
	return template
}

// spec returns that of the pod template, with the places for which Kueue admitted the pods.
func (a admission) spec() map[string]any {
	spec, there := a.clone(mapAt(a.own, "spec")), mapAt(a.there, "spec")
	for _, field := range [...]string{"nodeSelector", "tolerations", "schedulingGates"} {
		delete(spec, field)
		if value := there[field]; value != nil {
			spec[field] = value
		}
	}
	return spec
}

// metadata returns that of the pod template, with the labels and annotations of the other.
func (a admission) metadata() map[string]any {
	own, there := mapAt(a.own, "metadata"), mapAt(a.there, "metadata")
	metadata := a.clone(own)
	for _, field := range [...]string{"labels", "annotations"} {
		all := a.clone(mapAt(there, field))
		added := mapAt(own, field)
		a.meter.Charge(int64(len(added)))
		maps.Copy(all, added)
		a.put(metadata, field, all)
	}
	return metadata
}

// put sets a field to a map; an empty one only where the field is there.
func (a admission) put(to map[string]any, field string, value map[string]any) {
	if _, has := to[field]; has || len(value) > 0 {
		to[field] = value
	}
}

// clone returns a map of its own with the entries of one, for which it charges.
func (a admission) clone(m map[string]any) map[string]any {
	a.meter.Charge(1 + int64(len(m)))
	copied := make(map[string]any, len(m)+1)
	maps.Copy(copied, m)
	return copied
}
