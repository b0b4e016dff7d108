local mayStay = require("lib.failed")

-- States of v1alpha1, spark-operator 2.2 to 2.4 (checkServerPodStatus). Failed is the end after
-- all restarts. Since 2.4 there is observedGeneration; of an older one nothing is known.
local healthy = { Completed = true, Ready = true }

function InterpretHealth(obj, failover)
  local state, generation = kube.get(obj, "status.state", ""), kube.get(obj, "metadata.generation", 0)
  if not healthy[state] and not (state == "Failed" and mayStay(failover)) then
    return false
  end
  return kube.get(obj, "status.observedGeneration", generation) >= generation or nil
end
