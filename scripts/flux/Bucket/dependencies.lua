local dependencies = require("lib.dependencies")

local secrets = { "secretRef", "certSecretRef", "proxySecretRef", "sts.secretRef", "sts.certSecretRef" }

function GetDependencies(obj)
  return kube.concat(
    dependencies.secrets(obj, secrets),
    dependencies.accounts(obj, kube.get(obj, "spec.serviceAccountName"))
  )
end
