local fields = {
  "created", "printableStatus", "ready", "restoreInProgress", "runStrategy", "snapshotInProgress", "startFailure",
}

-- The status of the first cluster where the machine is not ready, or else of the first
-- that has one.
local function shown(items)
  local status
  for _, item in ipairs(items) do
    local told = item.status
    if told and (not status or (status.ready and not told.ready)) then
      status = told
    end
  end
  return status
end

-- Each cluster with the object has a machine of its own, so nothing is added up.
function AggregateStatus(obj, items)
  local from = shown(items)
  if from then
    local conditions = kube.mergeConditions(items)
    obj.status = kube.pick(from, fields)
    obj.status.conditions = conditions[1] and conditions
  end
  return obj
end
