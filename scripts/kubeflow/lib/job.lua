-- The jobs of the training operator and the MPI operator share one API: replica specs
-- by type (Master, Worker, ...), a run policy, and the status JobStatus.

local fields = require("lib.fields")

local job = {}

-- The replica specs of a job. Workers of an MPIJob without a number are none for the
-- training operator (v1). The MPI operator (v2beta1) refuses them; here they count as one.
local function specs(obj)
  local all = kube.get(obj, { "spec", fields[obj.kind] }, {})
  if obj.kind == "MPIJob" and obj.apiVersion == "kubeflow.org/v1" and all.Worker and all.Worker.replicas == nil then
    all.Worker.replicas = 0
  end
  return all
end

-- How many pods a replica spec asks for; 1 by default. Text is read as Karmada reads
-- it: "2" is 2, and "" is no number.
local function count(spec)
  if spec.replicas == nil or spec.replicas == "" then
    return 1
  end
  return tonumber(spec.replicas) or spec.replicas
end

-- A component for each replica type, named after it in lower case.
function job.components(obj)
  local components = kube.list()
  for kind, spec in pairs(specs(obj)) do
    table.insert(components, kube.component(string.lower(kind), count(spec), spec.template))
  end
  return components
end

-- All pods as one number, each as large as the largest type needs.
function job.replicas(obj)
  local components = job.components(obj)
  return kube.totalReplicas(components), kube.largestRequirements(components)
end

function job.dependencies(obj)
  local all = kube.list()
  for _, spec in pairs(specs(obj)) do
    all = kube.concat(all, kube.getPodDependencies(spec.template or {}, kube.get(obj, "metadata.namespace")))
  end
  return all
end

return job
