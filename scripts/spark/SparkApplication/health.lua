local mayStay = require("lib.failed")

-- States of v1beta2, spark-operator 2.0 to 2.4. FAILED is the end after all retries; from each
-- other state that is no success the operator goes on, to a run or to FAILED, so that they are
-- healthy, as Karmada has it. Before the operator has written a state nothing runs.
function InterpretHealth(obj, failover)
  local state = kube.get(obj, "status.applicationState.state")
  if state == "FAILED" then
    return mayStay(failover)
  end
  return state ~= nil or kube.get(obj, "spec.suspend", false)
end
