-- Addresses, revisions and traffic cannot be added up: one cluster tells them.
local told = { "address", "latestCreatedRevisionName", "latestReadyRevisionName", "traffic", "url" }

-- The status of the first cluster where the service is ready, or else of the first that
-- has one.
local function shown(items)
  local first
  for _, item in ipairs(items) do
    if kube.get(kube.condition(item, "Ready"), "status") == "True" then
      return item.status
    end
    first = first or item.status
  end
  return first
end

function AggregateStatus(obj, items)
  local from = shown(items)
  if not from then
    return obj
  end
  local status, conditions = kube.pick(from, told), kube.mergeConditions(items)
  status.conditions = conditions[1] and conditions
  status.observedGeneration = kube.get(obj, "status.observedGeneration")
  if kube.observedByAll(obj, items) then
    status.observedGeneration = kube.get(obj, "metadata.generation")
  end
  obj.status = status
  return obj
end
