-- The status of a condition, nil where it was set for an older generation.
local function current(obj, type)
  local condition = kube.condition(obj, type)
  local generation = kube.get(obj, "metadata.generation", 0)
  if condition and (condition.observedGeneration or generation) >= generation then
    return condition.status
  end
end

-- Ready is True while the Secret holds a valid certificate for this spec. While cert-manager
-- (1.8 to 1.19) issues one, Issuing is True, and Ready may be False. After a
-- failure Issuing is False, until it tries again.
function InterpretHealth(obj)
  local ready = current(obj, "Ready")
  if ready == "True" then
    return true
  end
  if ready ~= "False" or current(obj, "Issuing") == "True" then
    return nil
  end
  return false
end
