-- Counts, and which generation of what they count: generation is that of the
-- member's object, resourceTemplateGeneration that of the template it was made from.
-- Kubernetes leaves out a count of zero; here it is told, so that nobody has to guess.
local counts = { "replicas", "readyReplicas", "updatedReplicas", "availableReplicas" }

function ReflectStatus(obj)
  if not obj.status then
    return nil
  end
  local status = {
    generation = kube.get(obj, "metadata.generation"),
    resourceTemplateGeneration = tonumber(
      kube.get(obj, { "metadata", "annotations", "resourcetemplate.karmada.io/generation" })),
    observedGeneration = obj.status.observedGeneration,
    unavailableReplicas = obj.status.unavailableReplicas,
  }
  for _, name in ipairs(counts) do
    status[name] = obj.status[name] or 0
  end
  return status
end
