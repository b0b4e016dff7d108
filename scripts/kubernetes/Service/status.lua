function ReflectStatus(obj)
  if kube.get(obj, "spec.type") ~= "LoadBalancer" then
    return nil
  end
  return { loadBalancer = kube.get(obj, "status.loadBalancer", {}) }
end
