-- Addresses, revisions and traffic cannot be added up: they are those of one cluster.
local kept = { "address", "latestCreatedRevisionName", "latestReadyRevisionName", "traffic", "url" }

-- The status of the first cluster where the service is ready, or else of the first that
-- has one.
local function shown(items)
  local first
  for _, item in ipairs(items) do
    if kube.conditionTrue(item, "Ready") then
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
  local status = kube.pick(from, kept)
  status.conditions = kube.orNil(kube.worstConditions(items))
  status.observedGeneration = kube.observedGeneration(obj, items)
  obj.status = status
  return obj
end
