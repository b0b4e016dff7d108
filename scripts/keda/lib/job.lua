-- The Jobs that a ScaledJob starts.

local job = {}

-- As many Jobs as there always are, 1 at least: without a message there is none, and how many
-- there will be nobody knows. Each runs no more pods than it has completions.
local function count(obj)
  local spec = kube.get(obj, "spec.jobTargetRef", {})
  local parallelism = spec.parallelism or 1
  local pods = math.min(parallelism, spec.completions or parallelism)
  return math.max(kube.get(obj, "spec.minReplicaCount", 0), 1) * pods
end

local function template(obj)
  return kube.get(obj, "spec.jobTargetRef.template", {})
end

function job.replicas(obj)
  return count(obj), kube.accuratePodRequirements(template(obj))
end

function job.components(obj)
  return { kube.component("job", count(obj), template(obj)) }
end

return job
