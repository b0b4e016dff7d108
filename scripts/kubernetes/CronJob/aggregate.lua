-- The jobs of all clusters, and the last times that one started and succeeded.
function AggregateStatus(obj, items)
  if #kube.reported(items) == 0 then
    return obj
  end
  local active = {}
  for _, item in ipairs(items) do
    active = kube.concat(active, kube.get(item, "status.active"))
  end
  obj.status = {
    active = kube.orNil(active),
    lastScheduleTime = kube.latest(items, "lastScheduleTime"),
    lastSuccessfulTime = kube.latest(items, "lastSuccessfulTime"),
  }
  return obj
end
