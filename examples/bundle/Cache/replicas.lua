-- The number of replicas, and what one needs.
function GetReplicas(obj)
  return kube.get(obj, "spec.replicas") or 1, {resourceRequest = kube.get(obj, "spec.resources")}
end
