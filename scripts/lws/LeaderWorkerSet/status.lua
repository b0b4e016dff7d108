function ReflectStatus(obj)
  return kube.reflectStatus(obj, {
    "conditions", "hpaPodSelector", "observedGeneration", "readyReplicas", "replicas", "updatedReplicas",
  })
end
