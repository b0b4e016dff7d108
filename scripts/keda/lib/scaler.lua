-- ScaledObject and ScaledJob have one set of conditions: Ready, Active, Fallback and Paused.

local scaler = {}

-- What is kept of the status, by how it is reported of several clusters. The health of each
-- trigger counts its failures and stays in the member.
local first = {
  "authenticationsTypes", "compositeScalerName", "externalMetricNames", "hpaName", "resourceMetricNames",
  "scaleTargetGVKR", "scaleTargetKind", "triggersTypes",
}
local sums = { "originalReplicaCount", "pausedReplicaCount" }

-- Conditions that hold for all clusters where they hold in one. To be active is nothing bad.
local ofOne = { "Active", "Fallback", "Paused" }

-- Reports whether scaling is paused on purpose, which KEDA may not have seen yet. Text other
-- than a false one pauses (ScaledObject.NeedToBePausedByAnnotation).
local function paused(obj)
  local annotations = kube.get(obj, "metadata.annotations", {})
  local text = string.lower(annotations["autoscaling.keda.sh/paused"] or "false")
  local off = text == "false" or text == "f" or text == "0"
  return not off or annotations["autoscaling.keda.sh/paused-replicas"] ~= nil or kube.conditionTrue(obj, "Paused")
end

-- Ready is Unknown from when KEDA (2.10 to 2.18) has initialized the conditions until it has
-- checked the object. A fallback means that a source of events cannot be reached from there.
function scaler.health(obj)
  local ready = kube.condition(obj, "Ready") or {}
  if ready.status == "False" then
    return false
  end
  if paused(obj) then
    return true
  end
  if ready.status == "Unknown" then
    return nil
  end
  return ready.status == "True" and not kube.conditionTrue(obj, "Fallback")
end

function scaler.reflect(obj)
  return kube.reflectStatus(obj, kube.concat({ "conditions", "lastActiveTime" }, first, sums)) or {}
end

function scaler.aggregate(obj, items)
  local reports = kube.reported(items)
  if #reports == 0 then
    return obj
  end
  local status = kube.sumStatus(items, sums)
  for _, item in ipairs(reports) do
    for _, field in ipairs(first) do
      if status[field] == nil then
        status[field] = item.status[field]
      end
    end
  end
  status.conditions = kube.orNil(kube.worstConditions(items, ofOne))
  status.lastActiveTime = kube.latest(items, "lastActiveTime")
  obj.status = status
  return obj
end

return scaler
