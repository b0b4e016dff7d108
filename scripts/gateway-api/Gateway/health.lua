local conditions = require("lib.conditions")

local required = { "Accepted", "ResolvedRefs" }

-- Reports whether a listener cannot serve.
local function broken(obj)
  for _, listener in ipairs(kube.get(obj, "status.listeners", {})) do
    local list = listener.conditions
    if conditions.failed(obj, list, required) or conditions.current(obj, list, "Conflicted") == "True" then
      return true
    end
  end
  return false
end

-- The CRD (Gateway API 1.0 to 1.4) gives a new gateway conditions that wait for a controller:
-- no controller has seen it. Programmed is False with Pending while a controller works on it.
function InterpretHealth(obj)
  local accepted = kube.condition(obj, "Accepted")
  if not accepted or (accepted.status == "Unknown" and accepted.message == "Waiting for controller") then
    return false
  end
  if conditions.failed(obj, obj.status.conditions, required) or broken(obj) then
    return false
  end
  local programmed = conditions.current(obj, obj.status.conditions, "Programmed")
  if programmed == "False" and kube.condition(obj, "Programmed").reason ~= "Pending" then
    return false
  end
  if programmed ~= "True" or conditions.current(obj, obj.status.conditions, "Accepted") ~= "True" then
    return nil
  end
  return true
end
