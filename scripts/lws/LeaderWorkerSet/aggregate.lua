-- What a condition says where something is still to come.
local unsettled = { Available = "False", Progressing = "True", UpdateInProgress = "True", UpgradeInProgress = "True" }

-- One condition for each type, since the API takes no more: the unsettled one, where
-- clusters differ.
local function conditions(items)
  local list, at = kube.list(), {}
  for _, condition in ipairs(kube.mergeConditions(items)) do
    local type = condition.type
    if not at[type] then
      at[type] = #list + 1
      table.insert(list, condition)
    elseif condition.status == unsettled[type] then
      list[at[type]] = condition
    end
  end
  return #list > 0 and list or nil
end

function AggregateStatus(obj, items)
  local selector, told
  for _, item in ipairs(items) do
    told = told or item.status ~= nil
    selector = selector or kube.get(item, "status.hpaPodSelector")
  end
  if not told then
    return obj
  end
  local observed = kube.get(obj, "status.observedGeneration")
  local generation = kube.get(obj, "metadata.generation")
  if generation and kube.observedByAll(obj, items) then
    observed = generation
  end
  obj.status = kube.sumStatus(items, { "readyReplicas", "replicas", "updatedReplicas" })
  obj.status.conditions = conditions(items)
  obj.status.hpaPodSelector = selector
  obj.status.observedGeneration = observed
  return obj
end
