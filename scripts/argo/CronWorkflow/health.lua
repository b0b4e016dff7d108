-- The conditions of a CronWorkflow are errors of its spec and of the submission of its
-- workflows (Argo Workflows 3.4 and later). How these end is no matter of its health.
local errors = { "SpecError", "SubmissionError" }

function InterpretHealth(obj)
  if not obj.status then
    return nil
  end
  for _, type in ipairs(errors) do
    if kube.get(kube.condition(obj.status.conditions, type), "status") == "True" then
      return false
    end
  end
  return true
end
