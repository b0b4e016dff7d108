-- What belongs to the member cluster.

local retain = {}

-- The pods to delete first, which the controller of CloneSet removes from the list.
local function keepPodsToDelete(spec, pods)
  if pods or spec.scaleStrategy then
    spec.scaleStrategy = spec.scaleStrategy or {}
    spec.scaleStrategy.podsToDelete = pods
  end
end

-- An autoscaler in the member may own the number of replicas, and with it which pods go
-- first.
function retain.replicas(desired, observed)
  local replicas = kube.get(observed, "spec.replicas")
  if replicas and kube.retainsReplicas(desired) then
    desired.spec = desired.spec or {}
    desired.spec.replicas = replicas
    if desired.kind == "CloneSet" then
      keepPodsToDelete(desired.spec, kube.get(observed, "spec.scaleStrategy.podsToDelete"))
    end
  end
  return desired
end

return retain
