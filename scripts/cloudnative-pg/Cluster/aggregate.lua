-- Each cluster with the object has a database of its own: reported is the first that is not in a
-- healthy state, or else the first. Instances are added.
function AggregateStatus(obj, items)
  local shown
  for _, item in ipairs(kube.reported(items)) do
    if not shown or (shown.phase == "Cluster in healthy state" and item.status.phase ~= shown.phase) then
      shown = item.status
    end
  end
  if shown then
    local status = kube.merge(shown, kube.sumStatus(items, { "instances", "readyInstances" }))
    status.generation, status.resourceTemplateGeneration = nil, nil
    status.conditions = kube.orNil(kube.worstConditions(items))
    obj.status = status
  end
  return obj
end
