-- The phases of CDI (1.55 to 1.60, DataVolumePhase). Between the first and Succeeded the disk is made, or
-- waits for its first consumer. A transfer that fails is tried again, and meanwhile Running is
-- False with the reason Error.
local known = { Succeeded = true, Paused = true, Failed = false }

function InterpretHealth(obj)
  local phase = kube.get(obj, "status.phase", "")
  if phase == "" then
    return false
  end
  local running = kube.condition(obj, "Running") or {}
  if known[phase] == nil and running.status == "False" and running.reason == "Error" then
    return false
  end
  return known[phase]
end
