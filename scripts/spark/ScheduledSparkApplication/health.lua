-- How single runs end does not count. A schedule that is suspended on purpose has no reason to
-- move; the operator writes no state then, if it has not before.
function InterpretHealth(obj)
  local state = kube.get(obj, "status.scheduleState")
  return state == "Scheduled" or state ~= "FailedValidation" and kube.get(obj, "spec.suspend", false)
end
