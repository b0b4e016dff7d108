-- The WorkflowSpec of a Workflow, or of the workflows that a CronWorkflow starts.
local function workflowSpec(obj)
  return kube.get(obj, obj.kind == "CronWorkflow" and "spec.workflowSpec" or "spec", {})
end

return workflowSpec
