-- Each cluster scales its own part of the pods.
function AggregateStatus(obj, items)
  if #kube.reported(items) > 0 then
    local none = { currentReplicas = 0, desiredReplicas = 0 }
    obj.status = kube.sumStatus(items, { "currentReplicas", "desiredReplicas" }, none)
  end
  return obj
end
