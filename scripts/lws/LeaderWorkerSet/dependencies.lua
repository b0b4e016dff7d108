local group = require("lib.group")

-- The template without the volumes that are created from volumeClaimTemplates: these
-- replace those of the same name.
local function own(template, created)
  local volumes = kube.list()
  for _, volume in ipairs(kube.get(template, "spec.volumes", {})) do
    if not created[volume.name] then
      table.insert(volumes, volume)
    end
  end
  return kube.merge(template, { spec = { volumes = volumes } })
end

function GetDependencies(obj)
  local created, namespace = {}, kube.get(obj, "metadata.namespace")
  for _, claim in ipairs(kube.get(obj, "spec.leaderWorkerTemplate.volumeClaimTemplates", {})) do
    created[kube.get(claim, "metadata.name", "")] = true
  end
  local leader, worker = group.templates(obj)
  return kube.concat(
    kube.getPodDependencies(own(leader, created), namespace), kube.getPodDependencies(own(worker, created), namespace))
end
