-- The last time that a job was created in any cluster.
function AggregateStatus(obj, items)
  local last = kube.latest(items, "lastScheduleTime")
  if last then
    obj.status = { lastScheduleTime = last }
  end
  return obj
end
