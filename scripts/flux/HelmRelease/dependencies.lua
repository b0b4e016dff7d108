local dependencies = require("lib.dependencies")

-- The keys that verify the chart are read where its HelmChart is created: beside its source.
function GetDependencies(obj)
  local spec = obj.spec or {}
  local chart = kube.get(spec, "chart.spec", {})
  local namespace = kube.get(chart, "sourceRef.namespace") or dependencies.namespace(obj)
  return kube.concat(
    dependencies.secrets(obj, { "kubeConfig.secretRef" }),
    kube.references("Secret", namespace, kube.get(chart, "verify.secretRef.name")),
    dependencies.target(obj),
    dependencies.accounts(obj, spec.serviceAccountName),
    dependencies.values(obj, spec.valuesFrom),
    dependencies.sources(obj, { chart.sourceRef or spec.chartRef })
  )
end
