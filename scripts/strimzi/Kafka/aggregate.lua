-- Each cluster with the object has a Kafka of its own: reported is the first that is not ready, or
-- else the first. It is not Ready where one is NotReady.
local function conditions(items)
  local list, merged = kube.list(), kube.worstConditions(items, { "NotReady", "ReconciliationPaused", "Warning" })
  local failed = kube.conditionTrue(merged, "NotReady")
  for _, condition in ipairs(merged) do
    if not failed or condition.type ~= "Ready" then
      table.insert(list, condition)
    end
  end
  return kube.orNil(list)
end

function AggregateStatus(obj, items)
  local shown
  for _, item in ipairs(kube.reported(items)) do
    if not shown or (kube.conditionTrue(shown.conditions, "Ready") and not kube.conditionTrue(item, "Ready")) then
      shown = item.status
    end
  end
  if not shown then
    return obj
  end
  local status = kube.merge(shown, {})
  status.generation, status.resourceTemplateGeneration = nil, nil
  status.conditions = conditions(items)
  status.observedGeneration = kube.observedGeneration(obj, items)
  obj.status = status
  return obj
end
