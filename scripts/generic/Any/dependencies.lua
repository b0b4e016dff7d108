local pods = require("lib.pods")

-- The claims that a controller makes of templates for them, as StatefulSets do.
local function ownClaims(obj)
  local own = {}
  local templates = kube.get(obj, "spec.volumeClaimTemplates")
  for _, claim in pairs(type(templates) == "table" and templates or {}) do
    local name = type(claim) == "table" and type(claim.metadata) == "table" and claim.metadata.name
    own[name or ""] = true
  end
  return own
end

function GetDependencies(obj)
  local all, own = kube.list(), ownClaims(obj)
  for _, pod in ipairs(pods.of(obj)) do
    for _, reference in ipairs(kube.getPodDependencies(pod, kube.get(obj, "metadata.namespace"))) do
      if reference.kind ~= "PersistentVolumeClaim" or not own[reference.name] then
        table.insert(all, reference)
      end
    end
  end
  return all
end
