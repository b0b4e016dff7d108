-- The jobs that run in any cluster, and when one was last created and last completed.
function AggregateStatus(obj, items)
  if #kube.reported(items) > 0 then
    local active = kube.list()
    for _, item in ipairs(items) do
      active = kube.concat(active, kube.get(item, "status.active"))
    end
    obj.status = { active = kube.orNil(active) }
    for _, field in ipairs({ "lastScheduleTime", "lastSuccessfulTime" }) do
      obj.status[field] = kube.latest(items, field)
    end
  end
  return obj
end
