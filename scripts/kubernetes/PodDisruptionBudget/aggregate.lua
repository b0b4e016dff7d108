-- The pods that are being evicted, by cluster and name.
local function disrupted(items)
  local pods = {}
  for _, item in ipairs(items) do
    for name, since in pairs(kube.get(item, "status.disruptedPods", {})) do
      pods[item.clusterName .. "/" .. name] = since
    end
  end
  return kube.orNil(pods)
end

-- The API server requires all four counts.
function AggregateStatus(obj, items)
  if #kube.reported(items) > 0 then
    local none = { currentHealthy = 0, desiredHealthy = 0, disruptionsAllowed = 0, expectedPods = 0 }
    local observed = kube.observedGeneration(obj, items)
    obj.status = kube.sumStatus(items, { "currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods" }, none)
    obj.status.disruptedPods = disrupted(items)
    obj.status.conditions = kube.orNil(kube.worstConditions(items))
    obj.status.observedGeneration = observed
  end
  return obj
end
