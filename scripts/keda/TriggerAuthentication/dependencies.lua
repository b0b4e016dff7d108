-- Fields that name a Secret from which a provider of secrets is reached.
local keys = {
  "azureKeyVault.credentials.clientSecret.valueFrom.secretKeyRef.name",
  "gcpSecretManager.credentials.clientSecret.valueFrom.secretKeyRef.name",
  "awsSecretManager.credentials.accessKey.valueFrom.secretKeyRef.name",
  "awsSecretManager.credentials.accessSecretKey.valueFrom.secretKeyRef.name",
  "awsSecretManager.credentials.accessToken.valueFrom.secretKeyRef.name",
}

function GetDependencies(obj)
  local namespace, spec = kube.get(obj, "metadata.namespace", "default"), obj.spec or {}
  local all = kube.list()
  for _, ref in ipairs(spec.secretTargetRef or {}) do
    all = kube.concat(all, kube.references("Secret", namespace, ref.name))
  end
  for _, ref in ipairs(spec.configMapTargetRef or {}) do
    all = kube.concat(all, kube.references("ConfigMap", namespace, ref.name))
  end
  for _, key in ipairs(keys) do
    all = kube.concat(all, kube.references("Secret", namespace, kube.get(spec, key)))
  end
  return kube.concat(all, kube.references("ServiceAccount", namespace, kube.get(spec, "hashiCorpVault.credential.serviceAccountName")))
end
