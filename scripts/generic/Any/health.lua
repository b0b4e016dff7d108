-- By the rules of kstatus (sigs.k8s.io/cli-utils, pkg/kstatus/status): an object is what its
-- standard conditions say, and healthy where they say nothing. Unhealthy is only what a condition
-- of this generation says, never what is concluded from something that is missing.

local function isOlder(observed, generation)
  return type(observed) == "number" and type(generation) == "number" and observed < generation
end

-- Reports whether a condition says that its controller is at work: Crossplane has a reason for it,
-- Cluster API (v1beta1), Azure Service Operator and Knative a severity.
local function isUnderWay(condition)
  return condition.status == "False" and (condition.severity == "Info" or condition.reason == "Creating")
end

-- The status of a condition: "Unknown" where it is of an older generation or its controller is at
-- work, nil where there is none.
local function statusOf(obj, name)
  local condition = kube.condition(obj, name)
  if not condition then
    return nil
  elseif isOlder(condition.observedGeneration, kube.get(obj, "metadata.generation")) or isUnderWay(condition) then
    return "Unknown"
  end
  return condition.status
end

-- Reports whether one of two conditions has a status.
local function either(obj, first, second, status)
  return statusOf(obj, first) == status or statusOf(obj, second) == status
end

local function isSuspended(obj)
  return kube.get(obj, "spec.suspend") == true or kube.get(obj, "spec.runPolicy.suspend") == true
    or kube.get(obj, "spec.replicas") == 0
end

-- Reports whether a condition is there and does not say that it holds.
local function isOpen(obj, name)
  local status = statusOf(obj, name)
  return status ~= nil and status ~= "True"
end

local function unhealthy()
  if params.notReady == "unhealthy" then
    return false
  end
  return nil
end

function InterpretHealth(obj)
  if isSuspended(obj) then
    return true
  elseif isOlder(kube.get(obj, "status.observedGeneration"), kube.get(obj, "metadata.generation")) then
    return nil
  elseif either(obj, "Stalled", "Failed", "True") then
    return unhealthy()
  elseif either(obj, "Complete", "Succeeded", "True") then
    return true
  elseif statusOf(obj, "Reconciling") == "True" then
    return nil
  elseif either(obj, "Ready", "Available", "False") then
    return unhealthy()
  elseif isOpen(obj, "Ready") or isOpen(obj, "Available") then
    return nil
  end
  return true
end
