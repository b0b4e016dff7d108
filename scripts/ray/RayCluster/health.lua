local cluster = require("lib.cluster")

-- How many workers must be ready: those that the cluster is to have. Ray's autoscaler asks for
-- more at any time, and waits for nodes; then it is the least that it may have.
local function wanted(obj)
  local field = kube.get(obj, "spec.enableInTreeAutoscaling") and "minWorkerReplicas" or "desiredWorkerReplicas"
  return kube.get(obj, { "status", field }, 0)
end

-- Before KubeRay 1.3, and in v1alpha1, there are no conditions, and the state counts, which
-- stays ready. What it had of workers then is in availableWorkerReplicas.
local function old(obj)
  local state = kube.get(obj, "status.state")
  local available = kube.get(obj, "status.availableWorkerReplicas")
  return state == "suspended" or state == "ready" and (not available or available >= wanted(obj))
end

-- A cluster that is suspended on purpose has no reason to move. RayClusterProvisioned stays
-- True once it is (raycluster_types.go), so lost workers show in the counts only; a count of 0
-- is left out of the status.
local function isHealthy(obj)
  if #kube.get(obj, "status.conditions", {}) == 0 then
    return old(obj)
  end
  if kube.conditionTrue(obj, "RayClusterSuspended") or kube.conditionTrue(obj, "RayClusterSuspending") then
    return true
  end
  return kube.conditionTrue(obj, "HeadPodReady") and kube.conditionTrue(obj, "RayClusterProvisioned")
    and not kube.conditionTrue(obj, "RayClusterReplicaFailure")
    and kube.get(obj, "status.readyWorkerReplicas", 0) >= wanted(obj)
end

-- Of a spec that KubeRay has not seen nothing is known, but that it suspends the cluster.
function InterpretHealth(obj)
  if kube.get(obj, "spec.suspend") then
    return true
  end
  if isHealthy(obj) then
    return not cluster.isStale(obj) or nil
  end
  return false
end
