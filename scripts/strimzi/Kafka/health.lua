-- Reports whether the operator was asked to let the cluster be, which it may not have seen yet.
local function paused(obj)
  local told = kube.get(obj, { "metadata", "annotations", "strimzi.io/pause-reconciliation" }) == "true"
  return told or kube.conditionTrue(obj, "ReconciliationPaused")
end

-- Reports whether the cluster has data that only its volumes hold. It has an id once it has run;
-- ephemeral storage loses its data with each pod.
local function hasData(obj)
  return kube.get(obj, "status.clusterId", "") ~= "" and kube.get(obj, "spec.kafka.storage.type") ~= "ephemeral"
end

-- Strimzi (0.36 and later, StatusUtils.setStatusConditionAndObservedGeneration) writes Ready or,
-- in its place, NotReady. A cluster that is created is NotReady with Creating.
function InterpretHealth(obj, failover)
  if paused(obj) then
    return true
  end
  local bad = kube.condition(obj, "NotReady") or {}
  if not kube.condition(obj, "Ready") and not bad.status then
    return false
  end
  if kube.get(obj, "status.observedGeneration", 0) < kube.get(obj, "metadata.generation", 0) then
    return nil
  end
  if bad.status == "True" then
    local stays = failover and params.withoutBackup == "stay" and hasData(obj)
    if bad.reason == "Creating" or stays then
      return nil
    end
    return false
  end
  return kube.conditionTrue(obj, "Ready")
end
