-- The stores, and what the template of the Secret is made from.
function GetDependencies(obj)
  local spec, namespace = obj.spec or {}, kube.get(obj, "metadata.namespace", "default")
  local all = kube.list()

  local function addStore(ref)
    if ref and ref.name then
      local kind = ref.kind or "SecretStore"
      table.insert(all, {
        apiVersion = obj.apiVersion,
        kind = kind,
        namespace = kind == "SecretStore" and namespace or nil,
        name = ref.name,
      })
    end
  end

  addStore(spec.secretStoreRef)
  for _, from in ipairs(kube.concat(spec.data, spec.dataFrom)) do
    addStore(kube.get(from, "sourceRef.storeRef"))
  end
  for _, from in ipairs(kube.get(spec, "target.template.templateFrom", {})) do
    all = kube.concat(
      all,
      kube.references("ConfigMap", namespace, kube.get(from, "configMap.name")),
      kube.references("Secret", namespace, kube.get(from, "secret.name")))
  end
  return all
end
