local health = require("lib.health")

-- FlinkStateSnapshotStatus.State of the operator 1.10 to 1.14. One that failed is tried again
-- as TRIGGER_PENDING, so FAILED is the end of all tries. ABANDONED is one whose job failed or
-- was upgraded meanwhile.
function InterpretHealth(obj, failover)
  local state = kube.get(obj, "status.state")
  if state == "FAILED" or state == "ABANDONED" then
    return health.mayStay(failover)
  end
  return state == "COMPLETED" or state == "IN_PROGRESS"
end
