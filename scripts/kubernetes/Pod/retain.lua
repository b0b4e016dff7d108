-- The scheduler and admission of the member set these; a pod's spec cannot change.
local assigned = {
  "ephemeralContainers", "nodeName", "overhead", "preemptionPolicy", "priority", "serviceAccountName", "volumes",
}

-- The mounts of the containers, those of the service account's token among them.
local function mounts(desired, observed, field)
  local there = {}
  for _, container in ipairs(kube.get(observed, { "spec", field }, {})) do
    there[container.name] = container
  end
  for _, container in ipairs(kube.get(desired, { "spec", field }, {})) do
    if there[container.name] then
      container.volumeMounts = there[container.name].volumeMounts
    end
  end
end

function Retain(desired, observed)
  desired.spec = desired.spec or {}
  for _, name in ipairs(assigned) do
    desired.spec[name] = kube.get(observed, { "spec", name })
  end
  mounts(desired, observed, "containers")
  mounts(desired, observed, "initContainers")
  return desired
end
