function ReflectStatus(obj)
  return kube.reflectStatus(obj)
end
