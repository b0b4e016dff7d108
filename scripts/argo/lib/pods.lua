-- The pods of a WorkflowSpec.

local walk = require("lib.walk")
local workflowSpec = require("lib.workflowSpec")

local pods = {}

-- The templates that have a pod of their own. Steps and tasks call others; http and
-- plugin templates share the pod of the agent.
local own = { "container", "containerSet", "data", "resource", "script" }

local function hasPod(template)
  for _, type in ipairs(own) do
    if template[type] then
      return true
    end
  end
  return false
end

local toleration = { "key", "operator", "value", "effect", "tolerationSeconds" }

-- The tolerations without unknown fields: the API server does not validate those of a
-- workflow.
local function tolerations(list)
  local known = kube.list()
  for _, each in ipairs(list or {}) do
    table.insert(known, kube.pick(each, toleration))
  end
  return known
end

-- The pod of a template. Its scheduling constraints are those of the template, else of
-- templateDefaults, else of the workflow.
function pods.of(spec, template)
  local defaults, containers = spec.templateDefaults or {}, kube.list()
  for _, type in ipairs({ "container", "script" }) do
    if template[type] then
      table.insert(containers, kube.merge(defaults[type], template[type]))
    end
  end
  local pod = {
    containers = kube.concat(containers, kube.get(template, "containerSet.containers"), template.sidecars),
    initContainers = template.initContainers,
    volumes = template.volumes,
    serviceAccountName = template.serviceAccountName or defaults.serviceAccountName,
  }
  for _, field in ipairs({ "nodeSelector", "tolerations", "affinity" }) do
    pod[field] = template[field] or defaults[field] or spec[field]
  end
  pod.tolerations = tolerations(pod.tolerations)
  return { spec = pod }
end

-- As many pods as the workflow may run at a time, 1 by default, each as large as the
-- largest.
local function component(spec)
  local kinds = kube.list()
  walk(spec, function(template)
    if hasPod(template) then
      table.insert(kinds, kube.component(template.name or "inline", 1, pods.of(spec, template)))
    end
  end, function() end)
  if #kinds == 0 then
    table.insert(kinds, kube.component("unknown", 1, pods.of(spec, {})))
  end
  return { name = "pod", replicas = spec.parallelism or 1, replicaRequirements = kube.largestRequirements(kinds) }
end

function pods.components(obj)
  return { component(workflowSpec(obj)) }
end

function pods.replicas(obj)
  local pod = component(workflowSpec(obj))
  return pod.replicas, pod.replicaRequirements
end

return pods
