local fields = {
  "address", "conditions", "latestCreatedRevisionName", "latestReadyRevisionName", "observedGeneration", "traffic", "url",
}

function ReflectStatus(obj)
  return kube.reflectStatus(obj, fields) or {}
end
