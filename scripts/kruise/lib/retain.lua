-- What belongs to the member cluster.

local label = { "metadata", "labels", "resourcetemplate.karmada.io/retain-replicas" }

-- The pods to be deleted first, which the controller of CloneSet takes off the list.
local function chosen(spec, pods)
  if pods or spec.scaleStrategy then
    spec.scaleStrategy = spec.scaleStrategy or {}
    spec.scaleStrategy.podsToDelete = pods
  end
end

-- With this label an autoscaler in the member owns the number of replicas, and with it
-- which pods go first.
return function(desired, observed)
  local replicas = kube.get(observed, "spec.replicas")
  if replicas and kube.get(desired, label) == "true" then
    desired.spec = desired.spec or {}
    desired.spec.replicas = replicas
    if desired.kind == "CloneSet" then
      chosen(desired.spec, kube.get(observed, "spec.scaleStrategy.podsToDelete"))
    end
  end
  return desired
end
