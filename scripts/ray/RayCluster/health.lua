local function holds(obj, type)
  local condition = kube.condition(obj, type)
  return condition ~= nil and condition.status == "True"
end

-- A cluster that is suspended on purpose has no reason to move. Before KubeRay 1.3, and
-- in v1alpha1, there are no conditions, and the state tells.
function InterpretHealth(obj)
  if #kube.get(obj, "status.conditions", {}) == 0 then
    local state = kube.get(obj, "status.state")
    return state == "ready" or state == "suspended"
  end
  if holds(obj, "RayClusterSuspended") or holds(obj, "RayClusterSuspending") then
    return true
  end
  return holds(obj, "HeadPodReady") and holds(obj, "RayClusterProvisioned")
    and not holds(obj, "RayClusterReplicaFailure")
end
