-- SecretStore and ClusterSecretStore have one spec. Their status has no generation.

local store = {}

-- The kind that a field refers to, by how providers name their fields: authSecretRef,
-- secretRef, accessKeyIDSecretRef, serviceAccountRef and caProvider.
local function kindOf(field, value)
  if field == "caProvider" then
    return value.type or "Secret"
  end
  if field == "serviceAccountRef" then
    return "ServiceAccount"
  end
  return string.match(field, "[sS]ecretRef$") and "Secret"
end

local function references(part, visit)
  for field, value in pairs(part) do
    if type(value) == "table" then
      local kind = kindOf(tostring(field), value)
      if kind and value.name then
        visit(kind, value)
      end
      references(value, visit)
    end
  end
end

-- Those of a SecretStore are in its namespace, those of a ClusterSecretStore say theirs. A
-- reference without one is read where each ExternalSecret is.
function store.dependencies(obj)
  local all, own = kube.list(), kube.get(obj, "metadata.namespace", "default")
  references(kube.get(obj, "spec.provider", {}), function(kind, ref)
    local namespace = own
    if obj.kind == "ClusterSecretStore" then
      namespace = ref.namespace
    end
    if namespace then
      all = kube.concat(all, kube.references(kind, namespace, ref.name))
    end
  end)
  return all
end

function store.health(obj)
  local ready = kube.condition(obj, "Ready") or { status = "False" }
  if ready.status == "Unknown" then
    return nil
  end
  return ready.status == "True"
end

return store
