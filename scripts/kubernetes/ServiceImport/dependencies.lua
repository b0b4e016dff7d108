-- The Service that is created from the import, and its endpoints from all clusters.
function GetDependencies(obj)
  local namespace, service = obj.metadata.namespace, "derived-" .. obj.metadata.name
  local endpoints = {
    apiVersion = "discovery.k8s.io/v1",
    kind = "EndpointSlice",
    namespace = namespace,
    labelSelector = { matchLabels = { ["kubernetes.io/service-name"] = service } },
  }
  return kube.concat(kube.references("Service", namespace, service), { endpoints })
end
