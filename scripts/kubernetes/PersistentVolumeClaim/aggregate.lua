local phases = require("lib.phases")

-- The phases of PersistentVolumeClaimStatus (Kubernetes 1.36).
local order = { "Lost", "Pending", "Bound" }

function AggregateStatus(obj, items)
  local phase = phases.first(items, order)
  if phase then
    obj.status = { phase = phase }
  end
  return obj
end
