-- What the pods refer to, the account that they run as, and the ingress's certificates.
function GetDependencies(obj)
  local spec, namespace = obj.spec or {}, kube.get(obj, "metadata.namespace")
  local templates = {
    { spec = { serviceAccountName = spec.serviceAccount } },
    spec.podTemplate or {},
    kube.get(spec, "jobManager.podTemplate", {}),
    kube.get(spec, "taskManager.podTemplate", {}),
  }
  local all = kube.list()
  for _, template in ipairs(templates) do
    all = kube.concat(all, kube.getPodDependencies(template, namespace))
  end
  for _, tls in ipairs(kube.get(spec, "ingress.tls", {})) do
    all = kube.concat(all, kube.references("Secret", namespace, tls.secretName))
  end
  return all
end
