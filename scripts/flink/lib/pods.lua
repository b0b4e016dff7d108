-- The pods of a FlinkDeployment: how many there are, and what one asks for. Written for
-- flink-kubernetes-operator 1.7 to 1.14 (FlinkConfigBuilder) and Flink 1.15 to 2.2.

local memory = require("lib.memory")
local option = require("lib.option")

local pods = {}

-- The spec of a FlinkDeployment, or that of the deployments that a FlinkBlueGreenDeployment
-- makes, one at a time but for the time of a transition; empty where there is none.
function pods.spec(obj)
  return kube.get(obj, obj.kind == "FlinkBlueGreenDeployment" and "spec.template.spec" or "spec", {})
end

local function slots(spec)
  return tonumber(option(spec.flinkConfiguration, "taskmanager.numberOfTaskSlots") or 1)
end

-- Without a number of its own, the operator starts as many task managers as the
-- parallelism of the job needs slots. Flink gives a task manager one slot by default.
local function taskManagers(spec)
  local replicas = kube.get(spec, "taskManager.replicas")
  if replicas then
    return replicas
  end
  local each = slots(spec)
  local parallelism = kube.get(spec, "job.parallelism", 1)
  if not each or each < 1 or parallelism < 1 then
    return 1
  end
  return math.ceil(parallelism / each)
end

-- A component that is in the spec has one job manager without a number.
local function jobManagers(spec)
  local configured = not spec.jobManager and option(spec.flinkConfiguration, "kubernetes.jobmanager.replicas")
  return tonumber(configured or nil) or kube.get(spec, "jobManager.replicas", 1)
end

-- Reports whether the pods of all components are more than a container of Flink each: the common
-- template has others, or Flink's configuration adds to it.
local function isComplex(config, pod)
  return pod.containers or pod.initContainers or pod.overhead or pod.resources
    or config and config["external-resources"] ~= nil
end

-- Reports whether resource alone has what the pods of a component ask for.
local function isSimple(component)
  local resource = component and component.resource
  return resource and resource.cpu and resource.memory and not resource.ephemeralStorage
    and not component.podTemplate and not component.resources
end

-- What a pod of a role asks for. common is the spec of the common template.
local function requirements(spec, common, component, role)
  if not isSimple(component) or isComplex(spec.flinkConfiguration, common) then
    return require("lib.pod")(spec, component, role, slots(spec))
  end
  local claim = {
    nodeSelector = common.nodeSelector,
    tolerations = common.tolerations,
    hardNodeAffinity = kube.get(common.affinity, "nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"),
  }
  return {
    priorityClassName = common.priorityClassName,
    resourceRequest = { cpu = component.resource.cpu, memory = memory(component.resource.memory) },
    nodeClaim = next(claim) and claim or nil,
  }
end

-- The job manager and the task managers, each with what one pod needs.
function pods.components(obj)
  local spec = pods.spec(obj)
  local common = kube.get(spec, "podTemplate.spec", {})
  return {
    {
      name = "jobmanager",
      replicas = jobManagers(spec),
      replicaRequirements = requirements(spec, common, spec.jobManager, "jobmanager"),
    },
    {
      name = "taskmanager",
      replicas = taskManagers(spec),
      replicaRequirements = requirements(spec, common, spec.taskManager, "taskmanager"),
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
