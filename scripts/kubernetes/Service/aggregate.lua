local addresses = require("lib.addresses")

-- Only a load balancer has a status.
function AggregateStatus(obj, items)
  if kube.get(obj, "spec.type") ~= "LoadBalancer" then
    return obj
  end
  return addresses.aggregate(obj, items)
end
