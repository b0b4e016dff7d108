-- An autoscaler of the member owns the number of groups where the label says so.
function Retain(desired, observed)
  local groups = kube.get(observed, "spec.replicas")
  local told = kube.get(desired, { "metadata", "labels", "resourcetemplate.karmada.io/retain-replicas" })
  if groups and told == "true" then
    desired.spec = kube.merge(desired.spec, { replicas = groups })
  end
  return desired
end
