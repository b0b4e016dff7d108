-- The conditions of a CronWorkflow are errors of its spec and of the submission of its
-- workflows (Argo Workflows 3.4 and later). How these end does not count.
local errors = { "SpecError", "SubmissionError" }

function InterpretHealth(obj)
  if not obj.status then
    return nil
  end
  for _, type in ipairs(errors) do
    if kube.conditionTrue(obj.status.conditions, type) then
      return false
    end
  end
  return true
end
