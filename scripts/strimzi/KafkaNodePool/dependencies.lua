-- A pool belongs to the Kafka that its label names.
function GetDependencies(obj)
  local name = kube.get(obj, { "metadata", "labels", "strimzi.io/cluster" })
  if params.kafka == "apart" or not name then
    return {}
  end
  return kube.list({ apiVersion = obj.apiVersion, kind = "Kafka", namespace = kube.get(obj, "metadata.namespace", "default"), name = name })
end
