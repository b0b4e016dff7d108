-- The jobs of the training operator and the MPI operator share one API: replica specs
-- by type (Master, Worker, ...), a run policy, and the status JobStatus.

local job = {}

-- How many pods a replica spec asks for; 1 unless told. Text is read as Karmada reads
-- it: "2" is 2, and "" is nothing said.
local function count(spec)
  if spec.replicas == nil or spec.replicas == "" then
    return 1
  end
  return tonumber(spec.replicas) or spec.replicas
end

-- A component for each replica type, named after it in small letters.
function job.components(specs)
  local components = kube.list()
  for kind, spec in pairs(specs or {}) do
    table.insert(components, kube.component(string.lower(kind), count(spec), spec.template))
  end
  return components
end

-- All pods as one number, each as large as the largest type needs.
function job.replicas(specs)
  local components = job.components(specs)
  return kube.totalReplicas(components), kube.largestRequirements(components)
end

function job.dependencies(obj, specs)
  local all = kube.list()
  for _, spec in pairs(specs or {}) do
    all = kube.concat(all, kube.getPodDependencies(spec.template or {}, kube.get(obj, "metadata.namespace")))
  end
  return all
end

-- A job is healthy while it has conditions and none says that it failed. For a failed
-- one see the parameter failedRuns; for one without conditions the answer is missing.
function job.health(obj, failed, missing)
  if #kube.get(obj, "status.conditions", {}) == 0 then
    return missing
  end
  local condition = kube.condition(obj, "Failed")
  if not condition or condition.status ~= "True" then
    return true
  end
  if params.failedRuns == "kind" then
    return failed
  end
  return params.failedRuns == "healthy"
end

return job
