-- An autoscaler in the member cluster may own the number of replicas.
function Retain(desired, observed)
  if kube.retainsReplicas(desired) then
    desired.spec = kube.merge(desired.spec, kube.pick(observed.spec, { "replicas" }))
  end
  return desired
end
