-- quantity-arithmetic.
function GetReplicas(object)
  local requests = kube.get(object, "spec.resources.requests", {})
  local cpu = requests.cpu * 2
  --                   ^ quantity-arithmetic
  local memory = tonumber(requests.memory)
  --                               ^ quantity-arithmetic
  -- A quota of sessions is a number in the schema.
  local sessions = kube.get(object, "spec.resources.limits.sessions", 1) * 2
  return (object.spec.replicas or 1) + cpu + memory + sessions, nil
end
