-- The pods of a kind: how many there are, what one needs, and what they refer to. Where
-- count is nil it is spec.replicas.

local pods = {}

-- The spec that holds the pod template. UnitedDeployment and AdvancedCronJob have a whole
-- workload as template, under a name for its kind, such as cloneSetTemplate.
local function workload(obj)
  local spec = obj.spec or {}
  if obj.kind ~= "UnitedDeployment" and obj.kind ~= "AdvancedCronJob" then
    return spec
  end
  for _, inner in pairs(spec.template or {}) do
    return inner.spec or {}
  end
  return {}
end

pods.workload = workload

local function replicas(obj)
  return kube.get(obj, "spec.replicas", 1)
end

function pods.replicas(obj, count)
  return count or replicas(obj), kube.accuratePodRequirements(workload(obj).template or {})
end

-- One component, since there is one template.
function pods.components(obj, count)
  return { kube.component("pod", count or replicas(obj), workload(obj).template) }
end

-- The volumes that are not created from volumeClaimTemplates: each pod has claims of its own
-- instead of these.
local function shared(spec, volumes)
  local own, others = {}, kube.list()
  for _, claim in ipairs(spec.volumeClaimTemplates or {}) do
    own[kube.get(claim, "metadata.name", "")] = true
  end
  for _, volume in ipairs(volumes) do
    local claim = kube.get(volume, "persistentVolumeClaim.claimName", "")
    if not (own[volume.name or ""] or own[claim]) then
      table.insert(others, volume)
    end
  end
  return others
end

-- What the pods refer to in the namespace, by their template.
function pods.dependencies(obj)
  local spec = workload(obj)
  local template = spec.template or {}
  if kube.get(template, "spec.volumes") then
    template.spec.volumes = shared(spec, template.spec.volumes)
  end
  return kube.getPodDependencies(template, kube.get(obj, "metadata.namespace"))
end

-- The object with that number in a field of its spec, replicas by default.
function pods.revise(obj, number, field)
  obj.spec = obj.spec or {}
  obj.spec[field or "replicas"] = number
  return obj
end

return pods
