-- Counts and conditions of LeaderWorkerSet, as of August 2026. Older controllers call an
-- update an upgrade, and report no observedGeneration.
local updates = { "UpdateInProgress", "UpgradeInProgress" }

local function updating(obj)
  for _, type in ipairs(updates) do
    if kube.conditionTrue(obj, type) then
      return true
    end
  end
  return false
end

-- All groups are ready, of the old revision or the new one. During an update groups go
-- down on purpose, so while some are left the health is unknown. Where it asks for none,
-- nothing need be ready.
function InterpretHealth(obj)
  local status = obj.status
  local generation, desired = kube.get(obj, "metadata.generation", 0), kube.get(obj, "spec.replicas", 1)
  if desired == 0 or not status or not next(status) then
    return desired == 0
  end
  if (status.observedGeneration or generation) < generation then
    return nil
  end
  local ready = status.readyReplicas or 0
  if ready >= desired then
    return true
  end
  if ready > 0 and updating(obj) then
    return nil
  end
  return false
end
