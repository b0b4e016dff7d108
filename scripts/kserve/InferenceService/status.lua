local kept = {
  "address", "clusterServingRuntimeName", "components", "conditions", "deploymentMode", "modelStatus",
  "observedGeneration", "servingRuntimeName", "url",
}

function ReflectStatus(obj)
  return kube.reflectStatus(obj, kept) or {}
end
