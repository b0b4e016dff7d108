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

-- A gate can only be removed, so one that is gone does not come back. Kueue adds and removes
-- its own.
local function gates(desired, observed)
  local wanted, kept = {}, kube.list()
  for _, gate in ipairs(kube.get(desired, "spec.schedulingGates", {})) do
    wanted[gate.name or ""] = true
  end
  for _, gate in ipairs(kube.get(observed, "spec.schedulingGates", {})) do
    if wanted[gate.name or ""] or string.sub(gate.name or "", 1, 15) == "kueue.x-k8s.io/" then
      table.insert(kept, gate)
    end
  end
  desired.spec.schedulingGates = kube.orNil(kept)
end

function Retain(desired, observed)
  desired.spec = desired.spec or {}
  for _, name in ipairs(assigned) do
    desired.spec[name] = kube.get(observed, { "spec", name })
  end
  mounts(desired, observed, "containers")
  mounts(desired, observed, "initContainers")
  gates(desired, observed)
  if observed.spec and kube.inQueue(desired, observed) then
    desired.spec.nodeSelector, desired.spec.tolerations = observed.spec.nodeSelector, observed.spec.tolerations
  end
  return desired
end
