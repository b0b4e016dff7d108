-- What belongs to the member cluster.

local retain = {}

-- An autoscaler in the member may own the number of replicas.
function retain.replicas(desired, observed)
  local replicas = kube.get(observed, "spec.replicas")
  if replicas and kube.retainsReplicas(desired) then
    desired.spec = desired.spec or {}
    desired.spec.replicas = replicas
  end
  return desired
end

return retain
