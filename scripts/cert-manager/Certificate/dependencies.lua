-- The issuer, where it is one of cert-manager's own. Those of other groups have kinds
-- and versions that are not in a Certificate.
local function issuer(obj, namespace)
  local ref = kube.get(obj, "spec.issuerRef", {})
  local group, kind = ref.group or "", ref.kind or ""
  if not ref.name or (group ~= "" and group ~= "cert-manager.io") then
    return nil
  end
  kind = kind == "" and "Issuer" or kind
  return { {
    apiVersion = "cert-manager.io/v1",
    kind = kind,
    namespace = kind == "Issuer" and namespace or nil,
    name = ref.name,
  } }
end

function GetDependencies(obj)
  local namespace = kube.get(obj, "metadata.namespace", "default")
  local stores = kube.get(obj, "spec.keystores", {})
  return kube.concat(
    issuer(obj, namespace),
    kube.references(
      "Secret",
      namespace,
      kube.get(stores, "jks.passwordSecretRef.name"),
      kube.get(stores, "pkcs12.passwordSecretRef.name")
    )
  )
end
