local phases = require("lib.phases")

-- The phases of PersistentVolumeStatus (Kubernetes 1.36). A volume that no controller
-- has observed is pending.
local order = { "Failed", "Pending", "Available", "Bound", "Released" }

function AggregateStatus(obj, items)
  local phase = phases.first(items, order, "Pending")
  if phase then
    obj.status = { phase = phase }
  end
  return obj
end
