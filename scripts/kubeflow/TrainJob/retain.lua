local retain = require("lib.retain")

-- Patches of the runtime belong to their manager, such as Kueue in the member: those of
-- managers that are not in the template are kept. Before trainer 2.2 Kueue adds
-- to podTemplateOverrides instead, and before 2.1 to podSpecOverrides (kubernetes-sigs/kueue,
-- pkg/controller/jobs/trainjob, RunWithPodSetsInfo).
function Retain(desired, observed)
  if retain.queue(desired, observed, { "spec" }) then
    desired.spec.podTemplateOverrides = observed.spec.podTemplateOverrides
    desired.spec.podSpecOverrides = observed.spec.podSpecOverrides
  end
  local known = {}
  for _, patch in ipairs(kube.get(desired, "spec.runtimePatches", {})) do
    known[patch.manager] = true
  end
  for _, patch in ipairs(kube.get(observed, "spec.runtimePatches", {})) do
    if not known[patch.manager] then
      desired.spec = desired.spec or {}
      desired.spec.runtimePatches = kube.concat(desired.spec.runtimePatches, { patch })
    end
  end
  return desired
end
