local pods = require("lib.pods")

-- The claims created from volumeClaimTemplates are the member's own: each pod has another.
function GetDependencies(obj)
  local own = {}
  for _, claim in ipairs(kube.get(obj, "spec.volumeClaimTemplates", {})) do
    own[kube.get(claim, "metadata.name", "")] = true
  end
  local others = kube.list()
  for _, reference in ipairs(pods.dependencies(obj)) do
    if reference.kind ~= "PersistentVolumeClaim" or not own[reference.name] then
      table.insert(others, reference)
    end
  end
  return others
end
