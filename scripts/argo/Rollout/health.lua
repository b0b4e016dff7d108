-- Reports whether a generation that the controller has observed is behind. Both are text, and
-- other than numbers before Argo Rollouts 0.10.
local function behind(observed, generation)
  observed, generation = tonumber(observed), tonumber(generation)
  return observed ~= nil and generation ~= nil and observed < generation
end

-- Reports whether the controller has not seen the last change yet, of the rollout or of the
-- workload that it refers to (Argo Rollouts 1.1 and later, isGenerationObserved and
-- isWorkloadGenerationObserved).
local function stale(obj, status)
  if behind(status.observedGeneration, kube.get(obj, "metadata.generation")) then
    return true
  end
  local workload = kube.get(obj, { "metadata", "annotations", "rollout.argoproj.io/workload-generation" })
  return kube.get(obj, "spec.workloadRef") ~= nil and behind(status.workloadObservedGeneration, workload)
end

-- Phases of Argo Rollouts 1.0 and later. While a rollout goes on the health is unknown;
-- the controller calls one that is stuck Degraded. A pause is on purpose. After an update
-- that was aborted the old pods serve: another cluster would only try it again.
function InterpretHealth(obj)
  local status, desired = obj.status or {}, kube.get(obj, "spec.replicas", 1)
  if desired == 0 or next(status) == nil then
    return desired == 0
  end
  if stale(obj, status) then
    return nil
  end
  if status.phase == "Degraded" then
    return status.abort == true and (status.availableReplicas or 0) >= desired
  end
  if status.phase == "Healthy" or status.phase == "Paused" then
    return true
  end
  return nil
end
