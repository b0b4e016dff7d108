-- Each cluster scales its own part of the pods.
function AggregateStatus(obj, items)
  if #kube.reported(items) > 0 then
    local none = { currentReplicas = 0, desiredReplicas = 0 }
    local observed = kube.observedGeneration(obj, items)
    obj.status = kube.sumStatus(items, { "currentReplicas", "desiredReplicas" }, none)
    obj.status.conditions = kube.orNil(kube.worstConditions(items, { "ScalingLimited" }))
    obj.status.observedGeneration = observed
  end
  return obj
end
