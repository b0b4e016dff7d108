-- The jobs of the training operator and the MPI operator share one API: replica specs
-- by type (Master, Worker, ...), a run policy, and the status JobStatus.

local fields = require("lib.fields")

local job = {}

-- The replica specs of a job by type.
local function specs(obj)
  return kube.get(obj, { "spec", fields[obj.kind] }, {})
end

-- The names of components are those that Karmada publishes: of an MPIJob the replica type as
-- it is, of the others in lower case.
local function nameOf(obj, type)
  return obj.kind == "MPIJob" and type or string.lower(type)
end

-- How many pods a replica spec asks for: 1 by default, and 0 of the workers of an MPIJob.
-- Text is read as Karmada reads it: "2" is 2, and "" is no number.
local function count(obj, type, spec)
  if spec.replicas == nil or spec.replicas == "" then
    return obj.kind == "MPIJob" and string.lower(type) == "worker" and 0 or 1
  end
  return tonumber(spec.replicas) or spec.replicas
end

-- The priority class of the job, in place of those of its pods: the one by which a gang
-- scheduler and Kueue order it (Kueue, pkg/controller/jobs/kubeflow/kubeflowjob, PriorityClass).
local function prioritize(obj, component)
  local class = kube.get(obj, "spec.runPolicy.schedulingPolicy.priorityClass", "")
  if class ~= "" then
    local needs = kube.merge(component.replicaRequirements, { priorityClassName = class })
    component.replicaRequirements = needs
  end
  return component
end

-- A component for each replica type.
function job.components(obj)
  local components = kube.list()
  for type, spec in pairs(specs(obj)) do
    local component = kube.component(nameOf(obj, type), count(obj, type, spec), spec.template)
    table.insert(components, prioritize(obj, component))
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
