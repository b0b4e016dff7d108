-- What belongs to the member cluster.

local retain = {}

-- The head, by the empty name, and the groups of workers by theirs.
local function groups(spec)
  local named = { [""] = spec.headGroupSpec }
  for _, group in ipairs(spec.workerGroupSpecs or {}) do
    if group.groupName then
      named[group.groupName] = group
    end
  end
  return named
end

-- Calls visit with each group of desired that is in observed too, and the one there.
local function pairsOf(desired, observed, visit)
  local there = groups(observed)
  for name, group in pairs(groups(desired)) do
    if there[name] then
      visit(group, there[name])
    end
  end
end

-- A queue of Kueue starts and stops what is in it, and writes into the pods that it has
-- admitted, that which submits a job among them (kubernetes-sigs/kueue,
-- pkg/controller/jobs/raycluster and rayjob). clusterSpec is the path of the spec of the cluster.
function retain.queue(desired, observed, clusterSpec)
  if not observed.spec or not kube.inQueue(desired, observed) then
    return desired
  end
  desired.spec.suspend = observed.spec.suspend -- an admitted RayJob has none
  if observed.spec.suspend then
    return desired
  end
  pairsOf(kube.get(desired, clusterSpec, {}), kube.get(observed, clusterSpec, {}), function(own, there)
    own.template = own.template and kube.retainAdmission(own.template, there.template)
  end)
  if desired.spec.submitterPodTemplate then
    desired.spec.submitterPodTemplate =
      kube.retainAdmission(desired.spec.submitterPodTemplate, observed.spec.submitterPodTemplate)
  end
  return desired
end

-- Ray's autoscaler writes the number of workers, and which of them are to go.
function retain.autoscaled(desired, observed)
  if not kube.retainsReplicas(desired) and not kube.get(desired, "spec.enableInTreeAutoscaling") then
    return desired
  end
  pairsOf(desired.spec or {}, observed.spec or {}, function(own, there)
    own.replicas = there.replicas
    own.scaleStrategy = there.scaleStrategy
  end)
  return desired
end

return retain
