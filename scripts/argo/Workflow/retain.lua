-- The status goes with the object, for the API has no subresource for it. argo suspend,
-- resume, stop and terminate write into the spec: resume takes suspend away.
function Retain(desired, observed)
  desired.status = observed.status
  local spec = desired.spec
  if spec then
    spec.suspend = kube.get(observed, "spec.suspend")
    spec.shutdown = kube.get(observed, "spec.shutdown", spec.shutdown)
  end
  return desired
end
