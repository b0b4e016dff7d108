local told = {
  "address", "clusterServingRuntimeName", "components", "deploymentMode", "modelStatus", "servingRuntimeName", "url",
}

-- Addresses and revisions cannot be added up: they are those of the first cluster where the
-- service is ready, or else of the first.
function AggregateStatus(obj, items)
  local shown
  for _, item in ipairs(kube.reported(items)) do
    if not shown or (kube.conditionTrue(item, "Ready") and not kube.conditionTrue(shown.conditions, "Ready")) then
      shown = item.status
    end
  end
  if not shown then
    return obj
  end
  local status = kube.pick(shown, told)
  status.conditions = kube.orNil(kube.worstConditions(items, { "Stopped" }))
  status.observedGeneration = kube.observedGeneration(obj, items)
  obj.status = status
  return obj
end
