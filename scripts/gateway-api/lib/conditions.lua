-- Conditions of the Gateway API stand at a gateway, at its listeners, and at each parent of a
-- route. Each has the generation of the object that it is about.

local conditions = {}

-- Conditions that are True where something is wrong (apis/v1, gateway_types.go, shared_types.go).
local abnormal = { "Conflicted", "OverlappingTLSConfig", "PartiallyInvalid" }

-- The status of a condition, nil where there is none or it is about an older generation.
function conditions.current(obj, list, type)
  local condition = kube.condition(list, type)
  local generation = kube.get(obj, "metadata.generation", 0)
  if condition and (condition.observedGeneration or generation) >= generation then
    return condition.status
  end
end

-- Reports whether one of the types is False.
function conditions.failed(obj, list, types)
  for _, type in ipairs(types) do
    if conditions.current(obj, list, type) == "False" then
      return true
    end
  end
  return false
end

-- What a cluster reports of a part of the object, with the generations that its conditions are about.
function conditions.part(item, list)
  local status = kube.pick(item.status or {}, { "generation", "resourceTemplateGeneration" })
  status.conditions = list
  return { clusterName = item.clusterName, status = status }
end

-- One condition of each type of those that clusters report. parts is a list of those of part.
function conditions.merge(parts)
  return kube.worstConditions(parts, abnormal)
end

function conditions.reflect(obj)
  return kube.reflectStatus(obj) or {}
end

return conditions
