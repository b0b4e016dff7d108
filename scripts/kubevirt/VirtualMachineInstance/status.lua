function ReflectStatus(obj)
  return kube.reflectStatus(obj, { "conditions", "phase", "reason" }) or {}
end
