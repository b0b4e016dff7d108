local dependencies = require("lib.dependencies")

function GetDependencies(obj)
  return kube.concat(
    dependencies.secrets(obj, { "verify.secretRef", "verify.trustedRootSecretRef" }),
    dependencies.sources(obj, { kube.get(obj, "spec.sourceRef") })
  )
end
