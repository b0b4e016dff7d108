local kept = {
  "HPAReplicas", "abort", "availableReplicas", "conditions", "currentPodHash", "currentStepIndex", "message",
  "observedGeneration", "pauseConditions", "phase", "readyReplicas", "replicas", "selector", "stableRS",
  "updatedReplicas",
}

-- Reports whether the controller has seen the workload that the rollout refers to as it is
-- (utils/rollout/rolloututil.go, isWorkloadGenerationObserved).
local function seen(obj)
  local wanted = kube.get(obj, { "metadata", "annotations", "rollout.argoproj.io/workload-generation" })
  return not kube.get(obj, "spec.workloadRef") or not wanted or wanted == kube.get(obj, "status.workloadObservedGeneration")
end

-- The annotation stays in the member: a workload that was not seen is a generation that was not.
function ReflectStatus(obj)
  local status = kube.reflectStatus(obj, kept)
  if status and status.observedGeneration and not seen(obj) then
    status.observedGeneration = string.format("%d", math.max(kube.get(obj, "metadata.generation", 0) - 1, 0))
  end
  return status
end
