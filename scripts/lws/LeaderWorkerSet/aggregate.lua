-- Conditions that are True while something is still to come.
local abnormal = { "Progressing", "UpdateInProgress", "UpgradeInProgress" }

function AggregateStatus(obj, items)
  local reports = kube.reported(items)
  if #reports == 0 then
    return obj
  end
  local observed = kube.observedGeneration(obj, items)
  obj.status = kube.sumStatus(items, { "readyReplicas", "replicas", "updatedReplicas" })
  -- The API takes one condition of each type.
  obj.status.conditions = kube.orNil(kube.worstConditions(items, abnormal))
  for _, item in ipairs(reports) do
    obj.status.hpaPodSelector = obj.status.hpaPodSelector or item.status.hpaPodSelector
  end
  obj.status.observedGeneration = observed
  return obj
end
