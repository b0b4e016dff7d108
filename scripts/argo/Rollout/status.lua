local kept = {
  "HPAReplicas", "abort", "availableReplicas", "conditions", "currentPodHash", "currentStepIndex", "message",
  "observedGeneration", "pauseConditions", "phase", "readyReplicas", "replicas", "selector", "stableRS",
  "updatedReplicas",
}

function ReflectStatus(obj)
  return kube.reflectStatus(obj, kept)
end
