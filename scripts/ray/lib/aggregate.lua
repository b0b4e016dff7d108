-- One status of those of the member clusters.

local aggregate = {}

-- Conditions that are bad when they are True. The others are bad when they are not.
local abnormal = {
  "RayClusterReplicaFailure", "RayClusterSuspended", "RayClusterSuspending", "RollbackInProgress",
  "Suspended", "Suspending", "UpgradeInProgress",
}

local function each(items)
  local list = kube.list()
  for _, item in ipairs(items) do
    list = kube.concat(list, kube.get(item, "status.conditions"))
  end
  return list
end

-- The conditions of all clusters, nil where there are none.
function aggregate.conditions(items)
  return kube.orNil(params.conditions == "cluster" and each(items) or kube.worstConditions(items, abnormal))
end

-- Puts fields that cannot be added into status, each of the first cluster that has it.
function aggregate.first(items, fields, status)
  for _, item in ipairs(items) do
    for _, field in ipairs(fields) do
      status[field] = status[field] or kube.get(item, { "status", field })
    end
  end
end

-- The object with the status of its only cluster, or else the one that merge(items)
-- returns. As Karmada has it there is no spec, for only the status is read. While no
-- cluster reports one the object stays as it is.
function aggregate.into(obj, items, merge)
  if #kube.reported(items) == 0 then
    return obj
  end
  local observed = kube.observedGeneration(obj, items)
  local status = #items == 1 and items[1].status or merge(items)
  status.generation, status.resourceTemplateGeneration = nil, nil
  if kube.get(obj, "metadata.generation") then
    status.observedGeneration = observed
  end
  return { apiVersion = obj.apiVersion, kind = obj.kind, metadata = obj.metadata, status = status }
end

return aggregate
