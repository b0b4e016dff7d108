-- The jobs of all clusters, and when the last one started.
function AggregateStatus(obj, items)
  local reporting = kube.reported(items)
  if #items > 0 and #reporting == 0 then
    return obj
  end
  local status = { type = "", lastScheduleTime = kube.latest(items, "lastScheduleTime") }
  for _, item in ipairs(reporting) do
    status.type = item.status.type or status.type
    status.active = item.status.active and kube.concat(status.active, item.status.active) or status.active
  end
  obj.status = status
  return obj
end
