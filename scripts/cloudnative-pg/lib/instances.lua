-- The pods of a Cluster: a primary and its replicas, all alike.

local instances = {}

-- Reports whether the cluster is stopped on purpose: its pods are deleted, its volumes stay
-- (CloudNativePG, docs/src/declarative_hibernation.md).
function instances.hibernated(obj)
  return kube.get(obj, { "metadata", "annotations", "cnpg.io/hibernation" }) == "on"
end

local function count(obj)
  return instances.hibernated(obj) and 0 or kube.get(obj, "spec.instances", 1)
end

local function requirements(obj)
  local spec, affinity = obj.spec or {}, kube.get(obj, "spec.affinity", {})
  local needs = kube.accuratePodRequirements({
    spec = {
      nodeSelector = affinity.nodeSelector,
      tolerations = affinity.tolerations,
      affinity = { nodeAffinity = affinity.nodeAffinity },
      containers = { { resources = spec.resources } },
    },
  })
  if (spec.priorityClassName or "") ~= "" then
    needs = kube.merge(needs, { priorityClassName = spec.priorityClassName })
  end
  return needs
end

function instances.replicas(obj)
  return count(obj), requirements(obj)
end

function instances.components(obj)
  return { { name = "instance", replicas = count(obj), replicaRequirements = requirements(obj) } }
end

return instances
