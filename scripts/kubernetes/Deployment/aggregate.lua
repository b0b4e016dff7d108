local counts = { "replicas", "readyReplicas", "updatedReplicas", "availableReplicas", "unavailableReplicas" }

-- The template is observed when each cluster has seen it, and its own controller has
-- seen what came of it.
local function observed(items, generation)
  for _, item in ipairs(items) do
    local s = item.status
    if not s or (s.observedGeneration or 0) < (s.generation or 0)
      or (s.resourceTemplateGeneration or 0) < generation then
      return false
    end
  end
  return true
end

function AggregateStatus(obj, items)
  local status = obj.status or {}
  for _, name in ipairs(counts) do
    local sum = 0
    for _, item in ipairs(items) do
      sum = sum + (item.status and item.status[name] or 0)
    end
    -- A count of zero that was never there is not written.
    if sum > 0 or status[name] then
      status[name] = sum
    end
  end
  local generation = kube.get(obj, "metadata.generation", 0)
  if observed(items, generation) and generation > 0 then
    status.observedGeneration = generation
  end
  if next(status) then
    obj.status = status
  end
  return obj
end
