-- Health by the condition Ready and its reason.

local health = {}

-- reasons are those of an object that is ready; without them any reason will do. While the
-- controller works on an object Ready is Unknown, and one that was suspended before its
-- first reconciliation has none.
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

-- For the kinds of sources that have one reason only.
function health.source(obj)
  return health.ready(obj, { Succeeded = true })
end

return health
