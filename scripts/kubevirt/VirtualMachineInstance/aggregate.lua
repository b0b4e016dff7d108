-- Conditions that are True where something is wrong, or on purpose (core/v1/types.go).
local abnormal = { "EvictionRequested", "MigrationRequired", "Paused" }

-- Each cluster with the object has an instance of its own: reported is the first that does not run,
-- or else the first.
function AggregateStatus(obj, items)
  local shown
  for _, item in ipairs(kube.reported(items)) do
    if not shown or (shown.phase == "Running" and item.status.phase ~= "Running") then
      shown = item.status
    end
  end
  if shown then
    obj.status = kube.pick(shown, { "phase", "reason" })
    obj.status.conditions = kube.orNil(kube.worstConditions(items, abnormal))
  end
  return obj
end
