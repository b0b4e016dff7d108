local kept = { "currentHealthy", "desiredHealthy", "disruptedPods", "disruptionsAllowed", "expectedPods" }

function ReflectStatus(obj)
  return obj.status and kube.pick(obj.status, kept)
end
