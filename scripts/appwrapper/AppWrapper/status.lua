function ReflectStatus(obj)
  return kube.pick(obj.status, { "componentStatus", "conditions", "phase", "resettingCount" })
end
