local states = { "FailedValidation", "Validating", "Scheduled" }

-- The first cluster, by name, in which the field has the value.
local function where(items, field, value)
  for _, item in ipairs(items) do
    if value and kube.get(item, { "status", field }) == value then
      return item.status
    end
  end
end

-- The runs of all clusters: the last one, the next one, and those of the past.
function AggregateStatus(obj, items)
  local status = {}
  for _, state in ipairs(states) do
    local first = where(items, "scheduleState", state)
    if first then
      status = kube.pick(first, { "reason", "scheduleState" })
      break
    end
  end
  status.lastRun, status.nextRun = kube.latest(items, "lastRun"), kube.earliest(items, "nextRun")
  status.lastRunName = kube.get(where(items, "lastRun", status.lastRun), "lastRunName")
  for _, item in ipairs(items) do
    for _, field in ipairs({ "pastFailedRunNames", "pastSuccessfulRunNames" }) do
      local names = kube.get(item, { "status", field })
      status[field] = names and kube.concat(status[field], names) or status[field]
    end
  end
  if next(status) then
    obj.status = status
  end
  return obj
end
