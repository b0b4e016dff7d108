-- The pods of a FlinkDeployment: how many there are, and what one asks for.
-- Written for flink-kubernetes-operator 1.7 to 1.14.

local option = require("lib.option")

local pods = {}

local function memory(value)
  if value == nil then
    return nil
  end
  if params.memoryUnits == "quantity" then
    return tostring(kube.getResourceQuantity(value))
  end
  return kube.flinkMemory(value)
end

-- Without a number of its own, the operator starts as many task managers as the
-- parallelism of the job needs slots. Flink gives a task manager one slot by default.
local function taskManagers(spec)
  local replicas = kube.get(spec, "taskManager.replicas")
  if replicas then
    return replicas
  end
  local slots = tonumber(option(spec.flinkConfiguration, "taskmanager.numberOfTaskSlots") or 1)
  local parallelism = kube.get(spec, "job.parallelism", 1)
  if not slots or slots < 1 or parallelism < 1 then
    return 1
  end
  return math.ceil(parallelism / slots)
end

-- Since 1.14 the operator takes resources as a container has them beside resource. The
-- component's own pod template goes over the common one.
local function requirements(spec, component)
  local resource = kube.get(component, "resource") or kube.get(component, "resources.requests", {})
  local common = kube.get(spec, "podTemplate.spec", {})
  local own = kube.get(component, "podTemplate.spec", {})
  local claim = {
    nodeSelector = own.nodeSelector or common.nodeSelector,
    tolerations = own.tolerations or common.tolerations,
    hardNodeAffinity = kube.get(own.affinity or common.affinity,
      "nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"),
  }
  local needs = {
    priorityClassName = own.priorityClassName or common.priorityClassName,
    resourceRequest = {
      cpu = resource.cpu,
      memory = memory(resource.memory),
      ["ephemeral-storage"] = memory(resource.ephemeralStorage or resource["ephemeral-storage"]),
    },
  }
  if next(claim) then
    needs.nodeClaim = claim
  end
  return needs
end

-- The job manager and the task managers, each with what one pod needs.
function pods.components(obj)
  local spec = obj.spec or {}
  return {
    {
      name = "jobmanager",
      replicas = kube.get(spec, "jobManager.replicas", 1),
      replicaRequirements = requirements(spec, spec.jobManager),
    },
    {
      name = "taskmanager",
      replicas = taskManagers(spec),
      replicaRequirements = requirements(spec, spec.taskManager),
    },
  }
end

-- All pods as one number, each as large as the largest component needs. Used where
-- components are not asked for.
function pods.replicas(obj)
  local components = pods.components(obj)
  local needs = kube.largestRequirements(components) or {}
  needs.namespace = kube.get(obj, "metadata.namespace")
  return kube.totalReplicas(components), needs
end

return pods
