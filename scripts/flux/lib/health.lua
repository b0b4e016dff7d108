-- Health by the condition Ready and its reason.

local health = {}

-- Reports whether what a status says is about an older generation than the one that is there:
-- status.observedGeneration, or that of the condition. Missing numbers say nothing.
local function stale(obj, ready)
  local generation = kube.get(obj, "metadata.generation", 0)
  local observed = kube.get(obj, "status.observedGeneration", generation)
  return observed < generation or (ready.observedGeneration or generation) < generation
end

-- reasons are those of an object that is ready; without them any reason will do. While the
-- controller works on an object Ready is Unknown. One that is suspended is not looked at,
-- so that what its status says is what was before.
function health.ready(obj, reasons)
  if kube.get(obj, "spec.suspend") == true then
    return true
  end
  local ready = kube.condition(obj, "Ready")
  if not ready then
    return false
  end
  if ready.status == "Unknown" or stale(obj, ready) then
    return nil
  end
  return ready.status == "True" and (not reasons or reasons[ready.reason] == true)
end

-- For the kinds of sources that have one reason only.
function health.source(obj)
  return health.ready(obj, { Succeeded = true })
end

return health
