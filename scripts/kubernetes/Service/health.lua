local addresses = require("lib.addresses")

-- A load balancer is healthy once it has an address.
function InterpretHealth(obj)
  return kube.get(obj, "spec.type") ~= "LoadBalancer" or addresses.known(obj)
end
