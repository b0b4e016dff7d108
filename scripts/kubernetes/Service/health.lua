-- A load balancer is healthy once it has an address.
function InterpretHealth(obj)
  if kube.get(obj, "spec.type") ~= "LoadBalancer" then
    return true
  end
  for _, address in ipairs(kube.get(obj, "status.loadBalancer.ingress", {})) do
    if address.hostname or address.ip then
      return true
    end
  end
  return false
end
