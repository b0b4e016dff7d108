-- The certificates of listeners, and what configures the gateway where it is a ConfigMap. Kinds
-- of other groups have versions that a gateway does not name, and a GatewayClass comes with the
-- controller of each cluster.
function GetDependencies(obj)
  local all, namespace = kube.list(), kube.get(obj, "metadata.namespace", "default")

  local function add(refs, kind)
    for _, ref in ipairs(refs or {}) do
      if (ref.group or "") == "" and (ref.kind or kind) == kind then
        all = kube.concat(all, kube.references(kind, ref.namespace or namespace, ref.name))
      end
    end
  end

  for _, listener in ipairs(kube.get(obj, "spec.listeners", {})) do
    add(kube.get(listener, "tls.certificateRefs"), "Secret")
    add(kube.get(listener, "tls.frontendValidation.caCertificateRefs"), "ConfigMap")
  end
  add({ kube.get(obj, "spec.infrastructure.parametersRef") }, "ConfigMap")
  return all
end
