-- With this label an autoscaler in the member cluster owns the number of replicas.
local owned = { "metadata", "labels", "resourcetemplate.karmada.io/retain-replicas" }

function Retain(desired, observed)
  if kube.get(desired, owned) == "true" then
    desired.spec = kube.merge(desired.spec, kube.pick(observed.spec, { "replicas" }))
  end
  return desired
end
