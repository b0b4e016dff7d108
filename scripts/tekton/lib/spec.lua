-- The tasks that stand in a run itself, and the templates of its pods. What it refers to by
-- name stands in other objects.

local spec = {}

-- The template of the pods: of v1 in taskRunTemplate for a PipelineRun, and in podTemplate for
-- a TaskRun and in v1beta1.
function spec.template(obj)
  return kube.get(obj, "spec.taskRunTemplate.podTemplate") or kube.get(obj, "spec.podTemplate", {})
end

function spec.account(obj)
  return kube.get(obj, "spec.taskRunTemplate.serviceAccountName") or kube.get(obj, "spec.serviceAccountName")
end

-- Calls visit with the spec of each task that stands in the run, with its name.
function spec.tasks(obj, visit)
  if obj.kind == "TaskRun" then
    return visit(kube.get(obj, "spec.taskSpec", {}), "task")
  end
  local pipeline = kube.get(obj, "spec.pipelineSpec", {})
  for _, task in ipairs(kube.concat(pipeline.tasks, pipeline.finally)) do
    visit(task.taskSpec or {}, task.name)
  end
end

return spec
