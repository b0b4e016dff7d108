-- An autoscaler of the member may own the number of groups.
function Retain(desired, observed)
  local groups = kube.get(observed, "spec.replicas")
  if groups and kube.retainsReplicas(desired) then
    desired.spec = kube.merge(desired.spec, { replicas = groups })
  end
  return desired
end
