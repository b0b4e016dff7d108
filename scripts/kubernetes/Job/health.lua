-- The Job has ended, well or not, or is about to, or is not to run now: nothing that
-- another cluster would change. Conditions and counts: Kubernetes 1.24 to 1.36, JobStatus.
local ended = { "Complete", "Failed", "SuccessCriteriaMet", "FailureTarget", "Suspended" }

function InterpretHealth(obj)
  for _, type in ipairs(ended) do
    if kube.conditionTrue(obj, type) then
      return true
    end
  end
  local status = obj.status or {}
  if not status.startTime then
    return nil
  end
  return (status.ready or status.active or 0) > 0
end
