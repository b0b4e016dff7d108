local cluster = require("lib.cluster")

-- Since KubeRay 1.3 the condition Ready counts; before, the state does.
-- A service that is suspended on purpose has no reason to move.
local function isHealthy(obj)
  if kube.conditionTrue(obj, "Suspended") or kube.conditionTrue(obj, "Suspending") then
    return true
  end
  local ready = kube.condition(obj, "Ready")
  if ready then
    return ready.status == "True"
  end
  return kube.get(obj, "status.serviceStatus") == "Running"
end

-- Of a spec that KubeRay has not seen nothing is known, but that it suspends the service.
function InterpretHealth(obj)
  if kube.get(obj, "spec.suspend") then
    return true
  end
  if isHealthy(obj) then
    return not cluster.isStale(obj) or nil
  end
  return false
end
