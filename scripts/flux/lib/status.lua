-- The status of a kind of lib.fields: of one cluster, and of all together.

local fields = require("lib.fields")

local status = {}

function status.reflect(obj)
  local kept = fields[obj.kind]
  return kube.reflectStatus(obj, kube.concat({ "conditions", "observedGeneration" }, kept.last, kept.sums)) or {}
end

local function last(items, name)
  for i = #items, 1, -1 do
    local value = items[i].status[name]
    if value ~= nil and value ~= "" then
      return value
    end
  end
end

local function merged(items, kept)
  local status = kube.sumStatus(items, kept.sums or {})
  status.conditions = kube.orNil(kube.mergeConditions(items))
  for _, name in ipairs(kept.last) do
    status[name] = last(items, name)
  end
  return status
end

-- While clusters have the object and none reports, the status stays as it is. An object
-- without a generation has 0, as Karmada has it.
function status.aggregate(obj, items)
  local reports = kube.reported(items)
  if #items > 0 and #reports == 0 then
    return obj
  end
  local kept, before = fields[obj.kind], obj.status or {}
  obj.metadata.generation = obj.metadata.generation or 0
  obj.status = #items == 0 and kube.merge(kept.unset, before) or merged(reports, kept)
  local observed = kube.observedByAll(obj, items)
  obj.status.observedGeneration = observed and obj.metadata.generation or before.observedGeneration or 0
  return obj
end

return status
