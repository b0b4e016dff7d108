local kept = {
  "clusterId", "conditions", "kafkaMetadataState", "kafkaMetadataVersion", "kafkaNodePools", "kafkaVersion", "listeners",
  "observedGeneration", "operatorLastSuccessfulVersion",
}

function ReflectStatus(obj)
  return kube.reflectStatus(obj, kept) or {}
end
