-- The certificates of servers, which Istio reads beside the workload of the gateway. That of
-- the clients of a server is in the same Secret or one with -cacert behind its name.
function GetDependencies(obj)
  local all, namespace = kube.list(), params.gatewayNamespace
  if namespace == "" then
    return all
  end
  for _, server in ipairs(kube.get(obj, "spec.servers", {})) do
    local tls = server.tls or {}
    all = kube.concat(all, kube.references("Secret", namespace, tls.credentialName))
    for _, name in ipairs(tls.credentialNames or {}) do
      all = kube.concat(all, kube.references("Secret", namespace, name))
    end
  end
  return all
end
