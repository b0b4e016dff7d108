local hash = "rollouts-pod-template-hash"

-- Argo Rollouts writes the revision of its pods into the labels of subsets, and marks the
-- rule (rollout/trafficrouting/istio, UpdateHash; ManagedByRolloutsKey).
function Retain(desired, observed)
  if not kube.get(observed, { "metadata", "annotations", "argo-rollouts.argoproj.io/managed-by-rollouts" }) then
    return desired
  end
  local there = {}
  for _, subset in ipairs(kube.get(observed, "spec.subsets", {})) do
    there[subset.name] = kube.get(subset, { "labels", hash })
  end
  for _, subset in ipairs(kube.get(desired, "spec.subsets", {})) do
    if there[subset.name] then
      subset.labels = kube.merge(subset.labels, { [hash] = there[subset.name] })
    end
  end
  return desired
end
