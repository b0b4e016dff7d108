-- The pods of the revision that a Service asks for.

local pods = {}

local function template(obj)
  return kube.get(obj, "spec.template", {})
end

-- A number of an annotation of the revision, in its name since Knative 1.0 or the older
-- one; nil where there is none.
local function scale(obj, name, older)
  local annotations = kube.get(template(obj), "metadata.annotations", {})
  local text = annotations["autoscaling.knative.dev/" .. name] or annotations["autoscaling.knative.dev/" .. older]
  return text and kube.getResourceQuantity(text)
end

-- How many pods there are without traffic, or else those that it starts with: 1 by
-- default. A min-scale of 0 is Knative's default, and means the same as none.
local function count(obj)
  local least = scale(obj, "min-scale", "minScale")
  if least and least > 0 then
    return least
  end
  return scale(obj, "initial-scale", "initialScale") or 1
end

function pods.replicas(obj)
  return count(obj), kube.accuratePodRequirements(template(obj))
end

function pods.components(obj)
  return { kube.component("pod", count(obj), template(obj)) }
end

function pods.dependencies(obj)
  return kube.getPodDependencies(template(obj), kube.get(obj, "metadata.namespace"))
end

return pods
