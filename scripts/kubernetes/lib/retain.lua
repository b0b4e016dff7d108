-- With this label an autoscaler in the member cluster owns the number of replicas.
local owned = "resourcetemplate.karmada.io/retain-replicas"

local function retain(desired, observed)
  local replicas = kube.get(observed, "spec.replicas")
  if replicas and kube.get(desired, { "metadata", "labels", owned }) == "true" then
    desired.spec = desired.spec or {}
    desired.spec.replicas = replicas
  end
  return desired
end

return retain
