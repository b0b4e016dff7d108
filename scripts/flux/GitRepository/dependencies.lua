local dependencies = require("lib.dependencies")

-- The repositories whose content is included, which are sources as well.
local function included(obj)
  local list = {}
  for _, include in ipairs(kube.get(obj, "spec.include", {})) do
    table.insert(list, { apiVersion = obj.apiVersion, kind = obj.kind, name = include.repository.name })
  end
  return list
end

function GetDependencies(obj)
  return kube.concat(
    dependencies.secrets(obj, { "secretRef", "verify.secretRef", "proxySecretRef" }),
    dependencies.accounts(obj, kube.get(obj, "spec.serviceAccountName")),
    dependencies.sources(obj, included(obj))
  )
end
