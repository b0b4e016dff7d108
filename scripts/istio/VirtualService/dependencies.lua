local routes = { "http", "tcp", "tls" }

-- Gateways, as name or namespace/name, and Services by their short names, where they go along.
-- mesh is the word for all sidecars.
function GetDependencies(obj)
  local all, namespace = kube.list(), kube.get(obj, "metadata.namespace", "default")
  if params.references == "apart" then
    return all
  end
  for _, gateway in ipairs(kube.get(obj, "spec.gateways", {})) do
    local other, name = string.match(gateway, "^([^/]+)/(.+)$")
    if gateway ~= "mesh" then
      local ref = { apiVersion = obj.apiVersion, kind = "Gateway", name = name or gateway }
      ref.namespace = other or namespace
      table.insert(all, ref)
    end
  end
  for _, kind in ipairs(routes) do
    for _, route in ipairs(kube.get(obj, { "spec", kind }, {})) do
      for _, target in ipairs(kube.concat(route.route, { route.mirror and { destination = route.mirror } })) do
        local host = kube.get(target, "destination.host", "")
        local short = not string.find(host, ".", 1, true) and host or nil
        all = kube.concat(all, kube.references("Service", namespace, short))
      end
    end
  end
  return all
end
