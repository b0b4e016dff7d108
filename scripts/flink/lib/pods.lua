-- The pods of a FlinkDeployment: how many there are, and what one asks for. Written for
-- flink-kubernetes-operator 1.7 to 1.14 (FlinkConfigBuilder) and Flink 1.15 to 2.2.

local memory = require("lib.memory")
local option = require("lib.option")

local pods = {}

-- The spec of a FlinkDeployment, or that of the deployments that a FlinkBlueGreenDeployment
-- makes, one at a time but for the time of a transition; empty where there is none.
local function specOf(obj)
  if obj.kind == "FlinkBlueGreenDeployment" then
    return kube.get(obj, "spec.template.spec", {})
  end
  return obj.spec or {}
end

function pods.spec(obj)
  return specOf(obj)
end

-- How many tasks a task manager takes at once; nil for what is no number.
local function slots(config)
  return tonumber(option(config, "taskmanager.numberOfTaskSlots") or 1)
end

-- Without a number of its own, the operator starts as many task managers as the
-- parallelism of the job needs slots. Flink gives a task manager one slot by default.
local function taskManagers(spec, config, component)
  local replicas = component and component.replicas
  if replicas then
    return replicas
  end
  local each = tonumber(config and config["taskmanager.numberOfTaskSlots"]) or slots(config)
  local parallelism = kube.get(spec, "job.parallelism", 1)
  if not each or each < 1 or parallelism < 1 then
    return 1
  end
  return math.ceil(parallelism / each)
end

-- The job managers where the spec has no such component; one that is there has one without a
-- number.
local function configuredJobManagers(config)
  return tonumber(option(config, "kubernetes.jobmanager.replicas") or 1) or 1
end

-- What the spec of the common template asks of nodes, false for nothing. Nil where the pods of
-- all components are more than the container of Flink: the template has others, or Flink's
-- configuration adds to it.
local function claimOf(config, pod)
  if config and config["external-resources"] ~= nil then
    return nil
  end
  if not pod then
    return false
  end
  if pod.containers or pod.initContainers or pod.overhead or pod.resources then
    return nil
  end
  local selector, tolerations, affinity = pod.nodeSelector, pod.tolerations, pod.affinity
  if affinity then
    affinity = kube.get(affinity, "nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution")
  end
  return (selector or tolerations or affinity)
    and { nodeSelector = selector, tolerations = tolerations, hardNodeAffinity = affinity } or false
end

-- What a pod of a role asks for: little, where resource alone says what its container needs
-- beside the common template.
local function requirements(spec, component, role, priority, claim)
  local resource = claim ~= nil and component and component.resource
  local cpu, size = resource and resource.cpu, resource and resource.memory
  if not cpu or not size or resource.ephemeralStorage or component.podTemplate or component.resources then
    return require("lib.pod")(spec, component, role, slots(spec.flinkConfiguration))
  end
  return {
    priorityClassName = priority,
    resourceRequest = { cpu = cpu, memory = memory(size) },
    nodeClaim = claim or nil,
  }
end

-- The job manager and the task managers, each with what one pod needs.
function pods.components(obj)
  local spec = specOf(obj)
  local jobManager, taskManager, config = spec.jobManager, spec.taskManager, spec.flinkConfiguration
  local common = kube.get(spec, "podTemplate.spec")
  local claim, priority = claimOf(config, common), common and common.priorityClassName
  return {
    {
      name = "jobmanager",
      replicas = jobManager and (jobManager.replicas or 1) or configuredJobManagers(config),
      replicaRequirements = requirements(spec, jobManager, "jobmanager", priority, claim),
    },
    {
      name = "taskmanager",
      replicas = taskManagers(spec, config, taskManager),
      replicaRequirements = requirements(spec, taskManager, "taskmanager", priority, claim),
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
