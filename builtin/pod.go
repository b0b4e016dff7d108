package builtin

import (
	"fmt"
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// accuratePodRequirements is kube.accuratePodRequirements.
func accuratePodRequirements() Function {
	return checked(Function{
		Name:   "accuratePodRequirements",
		Params: []Param{{Name: "podTemplate", Type: "map"}},
		Result: "map or nil",
		Doc:    "Gives what one pod of the template needs, as replica requirements: nodeClaim and resourceRequest. It is nil where the template asks for nothing.",
	}, func(args []any) (any, int64, error) {
		template, ok := arg(args, 0).(map[string]any)
		if !ok {
			return nil, 0, fmt.Errorf("a pod template is expected, not a %s", typeName(arg(args, 0)))
		}
		r := requests{sum: map[string]int64{}}
		r.pod(mapAt(template, "spec"))
		if r.err != nil {
			return nil, 0, fmt.Errorf("resource %s: %w", r.wrong, r.err)
		}
		out := map[string]any{}
		if list := r.list(); len(list) > 0 {
			out["resourceRequest"] = list
		}
		if claim := nodeClaim(mapAt(template, "spec")); len(claim) > 0 {
			out["nodeClaim"] = claim
		}
		gas := 4 + r.read*quantityGas
		if len(out) == 0 {
			return nil, gas, nil
		}
		return out, gas, nil
	})
}

// nodeClaim gives what a pod asks of its node. Empty parts count as absent.
func nodeClaim(spec map[string]any) map[string]any {
	claim := map[string]any{}
	if selector := mapAt(spec, "nodeSelector"); len(selector) > 0 {
		claim["nodeSelector"] = selector
	}
	if tolerations := listAt(spec, "tolerations"); len(tolerations) > 0 {
		claim["tolerations"] = tolerations
	}
	affinity := mapAt(mapAt(spec, "affinity"), "nodeAffinity")
	if required := mapAt(affinity, "requiredDuringSchedulingIgnoredDuringExecution"); len(required) > 0 {
		claim["hardNodeAffinity"] = required
	}
	return claim
}

// requests sums what the containers of a pod ask for, in the unit of each
// resource: thousandths for cpu, one for all else.
type requests struct {
	sum  map[string]int64
	read int64
	// wrong is the resource whose quantity does not read, the first by name: the
	// order in which a map is read must not show.
	wrong string
	err   error
}

// pod adds up a pod: the containers run together, each init container before
// them, and the overhead is always there. Sidecars count as init containers.
func (r *requests) pod(spec map[string]any) {
	for _, c := range listAt(spec, "containers") {
		r.container(c, r.add)
	}
	for _, c := range listAt(spec, "initContainers") {
		r.container(c, r.atLeast)
	}
	for name, v := range mapAt(spec, "overhead") {
		r.one(name, v, r.add)
	}
}

// container takes the requests of a container; a limit without request is one.
func (r *requests) container(container any, take func(name string, n int64)) {
	resources := mapAt(container, "resources")
	asked := mapAt(resources, "requests")
	for name, v := range asked {
		r.one(name, v, take)
	}
	for name, v := range mapAt(resources, "limits") {
		if _, ok := asked[name]; !ok {
			r.one(name, v, take)
		}
	}
}

// one takes a single resource, unless it is of no kind that a scheduler counts.
func (r *requests) one(name string, v any, take func(name string, n int64)) {
	r.read++
	q, err := parseQuantity(v)
	switch {
	case err != nil:
		if r.err == nil || name < r.wrong {
			r.wrong, r.err = name, err
		}
	case name == "cpu":
		take(name, q.MilliValue())
	case name == "memory" || name == "ephemeral-storage" || name == "pods" || isScalar(name):
		take(name, q.Value())
	}
}

func (r *requests) add(name string, n int64) {
	sum := r.sum[name]
	if n > math.MaxInt64-sum {
		r.sum[name] = math.MaxInt64
		return
	}
	r.sum[name] = sum + n
}

func (r *requests) atLeast(name string, n int64) { r.sum[name] = max(r.sum[name], n) }

// isScalar says that a scheduler counts the resource in whole units: extended
// resources, huge pages, and those under kubernetes.io.
func isScalar(name string) bool {
	switch {
	case strings.HasPrefix(name, "requests."):
		return false
	case strings.HasPrefix(name, "hugepages-"), strings.HasPrefix(name, "attachable-volumes-"):
		return true
	}
	return strings.Contains(name, "/")
}

// list writes the sums as canonical quantities, without zeros.
func (r *requests) list() map[string]any {
	out := map[string]any{}
	for name, n := range r.sum {
		if n <= 0 {
			continue
		}
		switch {
		case name == "cpu":
			out[name] = resource.NewMilliQuantity(n, resource.DecimalSI).String()
		case name == "memory" || name == "ephemeral-storage" || strings.HasPrefix(name, "hugepages-"):
			out[name] = binary(n)
		default:
			out[name] = resource.NewQuantity(n, resource.DecimalSI).String()
		}
	}
	return out
}
