-- The pods of the kinds that have one template for them: how many there are, what one
-- needs, and what they refer to.

local pods = {}

local function workload(obj)
  return kube.get(obj, obj.kind == "CronJob" and "spec.jobTemplate.spec" or "spec", {})
end

-- How many pods of a Job run at a time. Without parallelism the API server sets 1; a
-- Job runs no more pods than it has completions.
local function jobPods(spec)
  local parallelism = kube.get(spec, "parallelism", 1)
  return math.min(parallelism, kube.get(spec, "completions", parallelism))
end

local function pod(obj)
  return obj.kind == "Pod" and obj or kube.get(workload(obj), "template", {})
end

-- How many pods there are, 1 by default.
local function count(obj)
  if obj.kind == "Job" or obj.kind == "CronJob" then
    return jobPods(workload(obj))
  end
  return obj.kind == "Pod" and 1 or kube.get(obj, "spec.replicas", 1)
end

function pods.replicas(obj)
  return count(obj), kube.accuratePodRequirements(pod(obj))
end

-- One component, since there is one template.
function pods.components(obj)
  return { kube.component("pod", count(obj), pod(obj)) }
end

function pods.dependencies(obj)
  return kube.getPodDependencies(pod(obj), kube.get(obj, "metadata.namespace"))
end

-- The object with that number of pods.
function pods.scale(obj, number)
  local spec = obj.spec or {}
  spec.replicas = number
  obj.spec = spec
  return obj
end

return pods
