-- A cluster that is suspended on purpose has no reason to move. Before KubeRay 1.3, and
-- in v1alpha1, there are no conditions, and the state counts.
function InterpretHealth(obj)
  if #kube.get(obj, "status.conditions", {}) == 0 then
    local state = kube.get(obj, "status.state")
    return state == "ready" or state == "suspended"
  end
  if kube.conditionTrue(obj, "RayClusterSuspended") or kube.conditionTrue(obj, "RayClusterSuspending") then
    return true
  end
  return kube.conditionTrue(obj, "HeadPodReady") and kube.conditionTrue(obj, "RayClusterProvisioned")
    and not kube.conditionTrue(obj, "RayClusterReplicaFailure")
end
