local dependencies = require("lib.dependencies")

function GetDependencies(obj)
  return dependencies.secrets(obj, { "secretRef", "certSecretRef" })
end
