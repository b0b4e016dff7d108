-- Each cluster makes a disk of its own: reported is the first that is not made, or else the first.
function AggregateStatus(obj, items)
  local shown
  for _, item in ipairs(kube.reported(items)) do
    if not shown or (shown.phase == "Succeeded" and item.status.phase ~= "Succeeded") then
      shown = item.status
    end
  end
  if shown then
    obj.status = kube.pick(shown, { "claimName", "phase" })
    obj.status.restartCount = kube.sumStatus(items, { "restartCount" }).restartCount
    obj.status.conditions = kube.orNil(kube.worstConditions(items))
  end
  return obj
end
