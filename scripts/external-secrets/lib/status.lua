-- The status of one cluster, and of all together.

local status = {}

-- refreshTime changes with each refresh and stays in the member.
function status.reflect(obj)
  return kube.reflectStatus(obj, { "binding", "capabilities", "conditions", "syncedResourceVersion" }) or {}
end

-- Each cluster reads the store for itself. It is ready where it is in all.
function status.aggregate(obj, items)
  local reports = kube.reported(items)
  if #reports > 0 then
    obj.status = kube.pick(reports[1].status, { "binding", "capabilities" })
    obj.status.conditions = kube.orNil(kube.worstConditions(items, { "Deleted" }))
  end
  return obj
end

return status
