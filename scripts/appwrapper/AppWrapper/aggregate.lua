-- The phases of AppWrapper 1.0 and later, the one to look at first first.
local phases = {
  "Failed", "Resetting", "Terminating", "Suspending", "Suspended", "", "Resuming", "Running", "Succeeded",
}

-- The first phase in that order that a cluster has. A cluster without a status has none yet.
local function phase(items)
  local found = {}
  for _, item in ipairs(items) do
    found[kube.get(item, "status.phase", "")] = true
  end
  for _, name in ipairs(phases) do
    if found[name] then
      return name
    end
  end
end

-- Unhealthy and DeletingResources are bad where they are True.
local abnormal = { "Unhealthy", "DeletingResources" }

-- The status of the only cluster; of several the phase, the resets of all and the worst
-- conditions. What became of each object differs by cluster.
function AggregateStatus(obj, items)
  if #kube.reported(items) == 0 then
    return obj
  end
  if #items == 1 then
    obj.status = items[1].status
    return obj
  end
  local status = kube.sumStatus(items, { "resettingCount" })
  status.phase = phase(items)
  if status.phase == "" then
    status.phase = nil
  end
  status.conditions = kube.orNil(kube.worstConditions(items, abnormal))
  obj.status = status
  return obj
end
