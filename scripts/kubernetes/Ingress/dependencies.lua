-- The certificates. An entry without a Secret leaves the certificate to the controller.
function GetDependencies(obj)
  local all = kube.list()
  for _, tls in ipairs(kube.get(obj, "spec.tls", {})) do
    all = kube.concat(all, kube.references("Secret", kube.get(obj, "metadata.namespace"), tls.secretName))
  end
  return all
end
