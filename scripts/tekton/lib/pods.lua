-- The pods of a run: one for each task.

local spec = require("lib.spec")

local pods = {}

-- Steps run one after another in one pod, but Kubernetes holds room for all of them
-- (docs/compute-resources.md); computeResources of a TaskRun are in place of theirs.
local function containers(obj, task)
  local own = kube.get(obj, "spec.computeResources")
  local list = kube.list()
  if own then
    table.insert(list, { resources = own })
  end
  for _, step in ipairs(own and {} or task.steps or {}) do
    table.insert(list, { resources = step.computeResources or step.resources })
  end
  for _, sidecar in ipairs(task.sidecars or {}) do
    table.insert(list, { resources = sidecar.computeResources or sidecar.resources })
  end
  return list
end

-- One pod at a time, as large as the largest: how many tasks run at once follows from their
-- order, and most runs refer to tasks that a script does not see.
local function component(obj)
  local kinds, template = kube.list(), spec.template(obj)
  spec.tasks(obj, function(task)
    table.insert(kinds, kube.component("task", 1, { spec = {
      containers = containers(obj, task),
      nodeSelector = template.nodeSelector,
      tolerations = template.tolerations,
      affinity = template.affinity,
      priorityClassName = template.priorityClassName,
    } }))
  end)
  if #kinds == 0 then
    kinds = { kube.component("task", 1, { spec = kube.pick(template, { "nodeSelector", "tolerations", "affinity" }) }) }
  end
  return { name = "pod", replicas = 1, replicaRequirements = kube.largestRequirements(kinds) }
end

function pods.components(obj)
  return { component(obj) }
end

function pods.replicas(obj)
  local pod = component(obj)
  return pod.replicas, pod.replicaRequirements
end

return pods
