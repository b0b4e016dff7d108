-- The tasks of a Job, each with pods of one template. Written for Volcano 1.8 to 1.13.

local tasks = {}

-- The longest name that a component may have.
local longest = 32

-- A task has one pod by default. For Volcano minAvailable is replicas where it is missing.
local function pods(task)
  if params.pods == "replicas" then
    return task.replicas or task.minAvailable
  end
  return task.minAvailable or task.replicas
end

-- Calls visit with each task and the name of its component: that of the task, or its
-- number, from 0, where that has none or one that is too long.
function tasks.each(obj, visit)
  for i, task in ipairs(kube.get(obj, "spec.tasks", {})) do
    local name = task.name or ""
    visit(task, (name == "" or #name > longest) and "task-" .. i - 1 or name)
  end
end

-- The priority class of the pods of a task, or else that of the job, which Volcano gives them
-- (docs/user-guide/how_to_configure_priorityclass_for_job.md).
local function class(obj, task)
  return kube.get(task, "template.spec.priorityClassName") or kube.get(obj, "spec.priorityClassName")
end

function tasks.components(obj)
  local components = kube.list()
  tasks.each(obj, function(task, name)
    local component = kube.component(name, pods(task), task.template)
    component.replicaRequirements = kube.orNil(kube.merge(component.replicaRequirements, {
      priorityClassName = class(obj, task),
    }))
    table.insert(components, component)
  end)
  return components
end

-- All pods, each as large as the largest.
function tasks.replicas(obj)
  local components = tasks.components(obj)
  return kube.totalReplicas(components), kube.largestRequirements(components)
end

return tasks
