-- With this label an autoscaler in the member cluster owns the number of replicas.
local owned = "resourcetemplate.karmada.io/retain-replicas"

function Retain(desired, observed)
  if kube.get(desired, { "metadata", "labels", owned }) == "true" then
    local replicas = kube.get(observed, "spec.replicas")
    if replicas then
      desired.spec.replicas = replicas
    end
  end
  return desired
end
