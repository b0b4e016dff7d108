local conditions = require("lib.conditions")

-- The listeners of all clusters by name: the routes that are attached are added.
local function listeners(reports)
  local order, known = kube.list(), {}
  for _, item in ipairs(reports) do
    for _, listener in ipairs(item.status.listeners or {}) do
      local sum = known[listener.name]
      if not sum then
        sum = kube.merge(listener, { attachedRoutes = 0 })
        known[listener.name] = sum
        sum.parts = {}
        table.insert(order, sum)
      end
      sum.attachedRoutes = sum.attachedRoutes + (listener.attachedRoutes or 0)
      table.insert(sum.parts, conditions.part(item, listener.conditions))
    end
  end
  for _, listener in ipairs(order) do
    listener.conditions, listener.parts = conditions.merge(listener.parts), nil
  end
  return kube.orNil(order)
end

-- A status has 16 addresses at most.
function AggregateStatus(obj, items)
  local reports = kube.reported(items)
  if #reports == 0 then
    return obj
  end
  local parts, addresses = {}, kube.list()
  for _, item in ipairs(items) do
    table.insert(parts, conditions.part(item, kube.get(item, "status.conditions")))
    for _, address in ipairs(kube.get(item, "status.addresses", {})) do
      if #addresses < 16 then
        table.insert(addresses, address)
      end
    end
  end
  obj.status = {
    addresses = kube.orNil(addresses),
    conditions = kube.orNil(conditions.merge(parts)),
    listeners = listeners(reports),
  }
  return obj
end
