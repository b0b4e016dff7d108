local dependencies = require("lib.dependencies")

function GetDependencies(obj)
  local spec = obj.spec or {}
  return kube.concat(
    dependencies.secrets(obj, { "decryption.secretRef", "kubeConfig.secretRef" }),
    dependencies.target(obj),
    dependencies.accounts(obj, spec.serviceAccountName, kube.get(spec, "decryption.serviceAccountName")),
    dependencies.values(obj, kube.get(spec, "postBuild.substituteFrom")),
    dependencies.sources(obj, { spec.sourceRef })
  )
end
