-- What the condition Ready says; its reason says why.

local health = {}

-- The reasons are those of an object that is ready; without them any will do. While the
-- controller works on an object Ready is Unknown, and one that was suspended before its
-- first time has none.
function health.ready(obj, reasons)
  local ready = kube.condition(obj, "Ready")
  if not ready and not kube.get(obj, "spec.suspend") then
    return false
  end
  if not ready or ready.status == "Unknown" then
    return nil
  end
  return ready.status == "True" and (not reasons or reasons[ready.reason] == true)
end

return health
