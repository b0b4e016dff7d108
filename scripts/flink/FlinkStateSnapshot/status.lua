function ReflectStatus(obj)
  return kube.pick(obj.status, {
    "error", "failures", "path", "resultTimestamp", "state", "triggerId", "triggerTimestamp",
  })
end
