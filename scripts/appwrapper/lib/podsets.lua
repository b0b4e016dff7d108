-- The sets of pods of an AppWrapper: each has a pod template in an object that it wraps, and
-- a number of pods (AppWrapper 1.1, pkg/utils/utils.go).

local podsets = {}

-- Returns what is at a path, such as template.spec.replicatedJobs[0].template, below a
-- component; nil where there is nothing (getValueAtPath).
local function at(component, path)
  local value = string.find(path, "^template") and component
  for bracket, key in string.gmatch(path, "(%[?)([^%.%[%]]+)") do
    if type(value) ~= "table" then
      return nil
    end
    value = value[bracket == "[" and tonumber(key) + 1 or key]
  end
  return value
end

-- How many pods a Job runs at a time.
local function parallel(job)
  local pods = kube.get(job, "parallelism", 1)
  return math.min(pods, kube.get(job, "completions", pods))
end

local function set(list, template, replicas)
  if template then
    table.insert(list, { template = template, replicas = replicas or 1 })
  end
end

local function one(object, list)
  set(list, kube.get(object, "spec.template"), kube.get(object, "spec.replicas"))
end

local function ray(cluster, list)
  set(list, kube.get(cluster, "headGroupSpec.template"))
  for _, group in ipairs(kube.get(cluster, "workerGroupSpecs", {})) do
    set(list, group.template, group.replicas)
  end
end

-- Adds the sets of the kinds whose pods AppWrapper finds by itself (InferPodSets).
local inferred = {
  ["v1/Pod"] = function(object, list) set(list, object) end,
  ["apps/v1/Deployment"] = one,
  ["apps/v1/StatefulSet"] = one,
  ["batch/v1/Job"] = function(object, list)
    set(list, kube.get(object, "spec.template"), parallel(object.spec))
  end,
  ["jobset.x-k8s.io/v1alpha2/JobSet"] = function(object, list)
    for _, job in ipairs(kube.get(object, "spec.replicatedJobs", {})) do
      local spec = kube.get(job, "template.spec", {})
      set(list, spec.template, (job.replicas or 1) * parallel(spec))
    end
  end,
  ["kubeflow.org/v1/PyTorchJob"] = function(object, list)
    for _, type in ipairs({ "Master", "Worker" }) do
      local replica = kube.get(object, { "spec", "pytorchReplicaSpecs", type }, {})
      set(list, replica.template, replica.replicas)
    end
  end,
  ["ray.io/v1/RayCluster"] = function(object, list) ray(object.spec, list) end,
  ["ray.io/v1/RayJob"] = function(object, list) ray(kube.get(object, "spec.rayClusterSpec"), list) end,
}

-- Adds the sets of a component: those that it declares, or else those of its kind.
local function add(component, list)
  for _, declared in ipairs(component.podSets or {}) do
    set(list, at(component, declared.path or ""), declared.replicas)
  end
  local object = component.template or {}
  local infer = inferred[(object.apiVersion or "") .. "/" .. (object.kind or "")]
  if infer and not next(component.podSets or {}) then
    infer(object, list)
  end
end

-- All sets, each with template and replicas.
function podsets.of(obj)
  local list = kube.list()
  for _, component in ipairs(kube.get(obj, "spec.components", {})) do
    add(component, list)
  end
  return list
end

return podsets
