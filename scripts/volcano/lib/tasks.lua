-- The tasks of a Job, or of the jobs of a CronJob, each with pods of one template. Written for
-- Volcano 1.8 to 1.13; CronJobs are there since 1.13.

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

-- The spec of the job that an object is, or is to create.
function tasks.spec(obj)
  return kube.get(obj, obj.kind == "CronJob" and "spec.jobTemplate.spec" or "spec", {})
end

-- Calls visit with each task and the name of its component: that of the task, or its
-- number, from 0, where that has none or one that is too long.
function tasks.each(obj, visit)
  for i, task in ipairs(tasks.spec(obj).tasks or {}) do
    local name = task.name or ""
    visit(task, (name == "" or #name > longest) and "task-" .. i - 1 or name)
  end
end

-- The priority class of the pods of a task, or else that of the job, which Volcano gives them
-- (docs/user-guide/how_to_configure_priorityclass_for_job.md).
local function class(obj, task)
  return kube.get(task, "template.spec.priorityClassName") or tasks.spec(obj).priorityClassName
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

-- What the pods refer to. A claim that the job names must exist; one without a name is created
-- by Volcano.
function tasks.dependencies(obj)
  local namespace = kube.get(obj, "metadata.namespace", "default")
  local all = kube.list()
  tasks.each(obj, function(task)
    all = kube.concat(all, kube.getPodDependencies(task.template or {}, namespace))
  end)
  for _, volume in ipairs(tasks.spec(obj).volumes or {}) do
    all = kube.concat(all, kube.references("PersistentVolumeClaim", namespace, volume.volumeClaimName))
  end
  return all
end

return tasks
