-- The pods of an AppWrapper: how many there are, what they need, and what they refer to.

local podsets = require("lib.podsets")

local pods = {}

-- A component for each set of pods, by its place, as Kueue names them behind the name of the
-- AppWrapper (kubernetes-sigs/kueue, pkg/controller/jobs/appwrapper, PodSets).
function pods.components(obj)
  local components = kube.list()
  for i, set in ipairs(podsets.of(obj)) do
    table.insert(components, kube.component("podset-" .. i - 1, set.replicas, set.template))
  end
  return components
end

-- All pods, each as large as the largest.
function pods.replicas(obj)
  local components = pods.components(obj)
  return kube.totalReplicas(components), kube.largestRequirements(components)
end

-- The objects that the AppWrapper itself makes, by kind and name.
local function wrapped(obj)
  local known = {}
  for _, component in ipairs(kube.get(obj, "spec.components", {})) do
    local object = component.template or {}
    known[(object.kind or "") .. "/" .. kube.get(object, "metadata.name", "")] = true
  end
  return known
end

-- What the pods refer to, but for what is wrapped with them.
function pods.dependencies(obj)
  local known, all = wrapped(obj), kube.list()
  for _, set in ipairs(podsets.of(obj)) do
    for _, needed in ipairs(kube.getPodDependencies(set.template, kube.get(obj, "metadata.namespace"))) do
      if not known[needed.kind .. "/" .. (needed.name or "")] then
        table.insert(all, needed)
      end
    end
  end
  return all
end

return pods
