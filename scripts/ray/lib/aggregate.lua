-- One status out of those of the member clusters.

local aggregate = {}

-- Conditions that are bad when they are true. The others are bad when they are not.
local bad = {
  RayClusterReplicaFailure = true, RayClusterSuspended = true, RayClusterSuspending = true,
  RollbackInProgress = true, Suspended = true, Suspending = true, UpgradeInProgress = true,
}

local function worse(condition)
  return (condition.status == "True") == (bad[condition.type] or false)
end

-- One condition for each type, the worst; more of a type than one would be refused.
local function worst(items)
  local list, at = kube.list(), {}
  for _, condition in ipairs(kube.mergeConditions(items)) do
    local i = at[condition.type]
    if not i then
      table.insert(list, condition)
      at[condition.type] = #list
    elseif worse(condition) and not worse(list[i]) then
      list[i] = condition
    end
  end
  return list
end

local function each(items)
  local list = kube.list()
  for _, item in ipairs(items) do
    list = kube.concat(list, kube.get(item, "status.conditions"))
  end
  return list
end

-- The conditions of all clusters, nil where there are none.
function aggregate.conditions(items)
  local list = params.conditions == "cluster" and each(items) or worst(items)
  return #list > 0 and list or nil
end

-- Puts fields that cannot be added into status, as the first cluster has them that
-- tells of them.
function aggregate.first(items, fields, status)
  for _, item in ipairs(items) do
    for _, field in ipairs(fields) do
      status[field] = status[field] or kube.get(item, { "status", field })
    end
  end
end

-- The object with the status of its only cluster, or else the one that merge(items)
-- makes. As Karmada has it there is no spec, for only the status is read. While no
-- cluster tells a status the object stays as it is.
function aggregate.into(obj, items, merge)
  if #kube.reported(items) == 0 then
    return obj
  end
  local generation = kube.get(obj, "metadata.generation")
  local observed = kube.observedByAll(obj, items) and generation or kube.get(obj, "status.observedGeneration")
  local status = #items == 1 and items[1].status or merge(items)
  status.generation, status.resourceTemplateGeneration = nil, nil
  if generation then
    status.observedGeneration = observed
  end
  return { apiVersion = obj.apiVersion, kind = obj.kind, metadata = obj.metadata, status = status }
end

return aggregate
