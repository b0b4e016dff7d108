local fields = {
  "created", "printableStatus", "ready", "restoreInProgress", "runStrategy", "snapshotInProgress", "startFailure",
}

-- Conditions that are True where something is wrong, or on purpose (core/v1/types.go).
local abnormal = { "Failure", "ManualRecoveryRequired", "Paused", "RestartRequired" }

-- The status of the first cluster where the machine is not ready, or else of the first
-- that has one.
local function shown(items)
  local status
  for _, item in ipairs(items) do
    local reported = item.status
    if reported and (not status or (status.ready and not reported.ready)) then
      status = reported
    end
  end
  return status
end

-- Each cluster with the object has a machine of its own, so nothing is added up.
function AggregateStatus(obj, items)
  local from = shown(items)
  if from then
    obj.status = kube.pick(from, fields)
    obj.status.conditions = kube.orNil(kube.worstConditions(items, abnormal))
  end
  return obj
end
