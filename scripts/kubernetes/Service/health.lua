local addresses = require("lib.addresses")

-- A load balancer is healthy once it has an address.
function InterpretHealth(obj)
  if kube.get(obj, "spec.type") ~= "LoadBalancer" then
    return true
  end
  return addresses.health(obj)
end
