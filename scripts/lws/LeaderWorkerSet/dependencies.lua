local group = require("lib.group")

-- The template without the volumes that are made by volumeClaimTemplates: these go
-- before those of the same name.
local function own(template, made)
  local volumes = kube.list()
  for _, volume in ipairs(kube.get(template, "spec.volumes", {})) do
    if not made[volume.name] then
      table.insert(volumes, volume)
    end
  end
  return kube.merge(template, { spec = { volumes = volumes } })
end

function GetDependencies(obj)
  local made, namespace = {}, kube.get(obj, "metadata.namespace")
  for _, claim in ipairs(kube.get(obj, "spec.leaderWorkerTemplate.volumeClaimTemplates", {})) do
    made[kube.get(claim, "metadata.name", "")] = true
  end
  local leader, worker = group.templates(obj)
  return kube.concat(
    kube.getPodDependencies(own(leader, made), namespace), kube.getPodDependencies(own(worker, made), namespace))
end
