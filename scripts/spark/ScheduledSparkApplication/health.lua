-- How single runs end does not count, nor whether it is suspended.
function InterpretHealth(obj)
  local state = kube.get(obj, "status.scheduleState")
  if state == "Scheduled" or state == "FailedValidation" then
    return state == "Scheduled"
  end
  return nil
end
