-- The conditions of a CronWorkflow are errors of its spec and of the submission of its
-- workflows (Argo Workflows 3.4 and later). How these end does not count.
local errors = { "SpecError", "SubmissionError" }

-- Controllers before 3.6 write no status until the first workflow is due, so that without one it
-- is healthy. One that is suspended starts none, on purpose.
function InterpretHealth(obj)
  if kube.get(obj, "spec.suspend") == true or not obj.status then
    return true
  end
  for _, type in ipairs(errors) do
    if kube.conditionTrue(obj.status.conditions, type) then
      return false
    end
  end
  return true
end
