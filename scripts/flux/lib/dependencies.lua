-- References of an object to others, most of them in its own namespace.

local dependencies = {}

-- The namespace of an object: default where it names none, as for the pods of a template.
function dependencies.namespace(obj)
  return kube.get(obj, "metadata.namespace", "default")
end

-- Paths in spec that name Secrets, such as verify.secretRef.
function dependencies.secrets(obj, paths)
  local all = kube.list()
  for _, path in ipairs(paths) do
    local name = kube.get(obj, "spec." .. path .. ".name")
    all = kube.concat(all, kube.references("Secret", dependencies.namespace(obj), name))
  end
  return all
end

function dependencies.accounts(obj, ...)
  return kube.references("ServiceAccount", dependencies.namespace(obj), ...)
end

-- A list of Secrets and ConfigMaps.
function dependencies.values(obj, list)
  local all = kube.list()
  for _, from in ipairs(list or {}) do
    all = kube.concat(all, kube.references(from.kind, dependencies.namespace(obj), from.name))
  end
  return all
end

-- The config map by which an object reaches another cluster.
function dependencies.target(obj)
  local name = kube.get(obj, "spec.kubeConfig.configMapRef.name")
  return kube.references("ConfigMap", dependencies.namespace(obj), name)
end

-- The sources that an object reads, where they go along with it.
function dependencies.sources(obj, list)
  local all = kube.list()
  for _, source in ipairs(params.sources == "along" and list or {}) do
    table.insert(all, {
      apiVersion = source.apiVersion or "source.toolkit.fluxcd.io/v1",
      kind = source.kind,
      namespace = source.namespace or dependencies.namespace(obj),
      name = source.name,
    })
  end
  return all
end

return dependencies
