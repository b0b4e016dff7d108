-- An autoscaler in the member cluster may own the number of replicas. kubectl argo rollouts
-- restart writes a time, and pods from before it are replaced (RolloutSpec.RestartAt): the later
-- of the two counts, or a restart that goes on in the member would end halfway.
function Retain(desired, observed)
  if kube.retainsReplicas(desired) then
    desired.spec = kube.merge(desired.spec, kube.pick(observed.spec, { "replicas" }))
  end
  local at = kube.latest({ { status = desired.spec or {} }, { status = observed.spec or {} } }, "restartAt")
  if at then
    desired.spec = kube.merge(desired.spec, { restartAt = at })
  end
  return desired
end
