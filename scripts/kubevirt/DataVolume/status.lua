-- Not the progress, which changes all the time.
function ReflectStatus(obj)
  return kube.reflectStatus(obj, { "claimName", "conditions", "phase", "restartCount" }) or {}
end
