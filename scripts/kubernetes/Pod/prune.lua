-- What scheduler and admission of one cluster set. Admission in a member computes priority,
-- preemptionPolicy and overhead from its own classes, and refuses other values; ephemeral
-- containers can only be added to a pod that is there (Kubernetes 1.36, PodSpec).
local assigned = { "ephemeralContainers", "nodeName", "overhead", "preemptionPolicy", "priority" }

-- The volume with the token of the service account, which admission adds to each pod.
local token = "kube-api-access-"

local function isToken(volume)
  return volume.projected ~= nil and string.sub(volume.name or "", 1, #token) == token
end

-- The items of a list that drop() does not hold of; nil where none is left.
local function without(list, drop)
  local kept = kube.list()
  for _, item in ipairs(list or {}) do
    if not drop(item) then
      table.insert(kept, item)
    end
  end
  return kube.orNil(kept)
end

-- Takes the mounts of the volumes with those names from the containers.
local function unmount(containers, names)
  for _, container in ipairs(containers or {}) do
    container.volumeMounts = without(container.volumeMounts, function(mount) return names[mount.name] end)
  end
end

function PruneTemplate(template)
  local spec, tokens = kube.get(template, "spec", {}), {}
  for _, field in ipairs(assigned) do
    spec[field] = nil
  end
  for _, volume in ipairs(spec.volumes or {}) do
    if isToken(volume) then
      tokens[volume.name] = true
    end
  end
  if next(tokens) then
    spec.volumes = without(spec.volumes, isToken)
    unmount(spec.containers, tokens)
    unmount(spec.initContainers, tokens)
  end
  return template
end
