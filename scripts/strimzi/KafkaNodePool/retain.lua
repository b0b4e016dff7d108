-- An autoscaler in the member may own the number of nodes.
function Retain(desired, observed)
  if kube.retainsReplicas(desired) then
    desired.spec = kube.merge(desired.spec, kube.pick(observed.spec, { "replicas" }))
  end
  return desired
end
