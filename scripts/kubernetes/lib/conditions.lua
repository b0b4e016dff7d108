local conditions = {}

-- The condition of that type where it is True, or nil.
function conditions.held(obj, type)
  local condition = kube.condition(obj, type)
  return kube.get(condition, "status") == "True" and condition or nil
end

-- Of the clusters in which the condition is True: their names, and the times since when
-- it is, the first time first.
function conditions.holding(items, type)
  local names, since = {}, {}
  for _, item in ipairs(items) do
    local condition = conditions.held(item, type)
    if condition then
      table.insert(names, item.clusterName)
      table.insert(since, condition.lastTransitionTime or "")
    end
  end
  table.sort(since)
  return names, since
end

return conditions
