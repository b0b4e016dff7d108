local members = require("lib.items")

-- The jobs of all clusters, and when the last one began and succeeded.
function AggregateStatus(obj, items)
  if members.having(items, "status") == 0 then
    return obj
  end
  local active = {}
  for _, item in ipairs(items) do
    active = kube.concat(active, kube.get(item, "status.active"))
  end
  obj.status = {
    active = next(active) and active,
    lastScheduleTime = kube.latest(items, "lastScheduleTime"),
    lastSuccessfulTime = kube.latest(items, "lastSuccessfulTime"),
  }
  return obj
end
