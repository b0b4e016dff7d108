-- All pods as one number, each as large as the largest component needs. Used where
-- components are not asked for.

local function memory(value)
  if value == nil then
    return nil
  end
  if params.memoryUnits == "quantity" then
    return tostring(kube.getResourceQuantity(value))
  end
  return kube.flinkMemory(value)
end

-- See components.lua.
local function taskManagers(spec)
  local replicas = kube.get(spec, "taskManager.replicas")
  if replicas then
    return replicas
  end
  local slots = tonumber(kube.get(spec, { "flinkConfiguration", "taskmanager.numberOfTaskSlots" }, 1))
  local parallelism = kube.get(spec, "job.parallelism", 1)
  if not slots or slots < 1 or parallelism < 1 then
    return 1
  end
  return math.ceil(parallelism / slots)
end

local function larger(a, b)
  if a == nil or b == nil then
    return a or b
  end
  if kube.getResourceQuantity(a) >= kube.getResourceQuantity(b) then
    return a
  end
  return b
end

-- See components.lua.
local function resource(spec, component)
  return kube.get(spec, { component, "resource" }) or kube.get(spec, { component, "resources", "requests" }, {})
end

function GetReplicas(obj)
  local spec = obj.spec or {}
  local job, task = resource(spec, "jobManager"), resource(spec, "taskManager")
  local pod = kube.get(spec, "podTemplate.spec", {})
  local needs = {
    resourceRequest = {
      cpu = larger(job.cpu, task.cpu),
      memory = larger(memory(job.memory), memory(task.memory)),
    },
    namespace = kube.get(obj, "metadata.namespace"),
    priorityClassName = pod.priorityClassName,
  }
  local claim = {
    nodeSelector = pod.nodeSelector,
    tolerations = pod.tolerations,
    hardNodeAffinity = kube.get(pod, "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"),
  }
  if next(claim) then
    needs.nodeClaim = claim
  end
  return kube.get(spec, "jobManager.replicas", 1) + taskManagers(spec), needs
end
