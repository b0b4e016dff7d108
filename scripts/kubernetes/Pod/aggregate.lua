-- The phase of all pods is that of the one that is worst off.
local precedence = { "Failed", "Pending", "Running", "Succeeded" }

local function phase(items)
  local present = {}
  for _, item in ipairs(items) do
    present[kube.get(item, "status.phase", item.status and "" or "Pending")] = true
  end
  for _, name in ipairs(precedence) do
    if present[name] then
      return name
    end
  end
end

-- The state of the containers of all clusters, or nil.
local function containers(items, field)
  local all = {}
  for _, item in ipairs(items) do
    for _, c in ipairs(kube.get(item, { "status", field }, {})) do
      table.insert(all, { name = c.name, ready = c.ready, restartCount = c.restartCount, state = c.state })
    end
  end
  return kube.orNil(all)
end

function AggregateStatus(obj, items)
  if next(items) then
    obj.status = {
      phase = phase(items),
      containerStatuses = containers(items, "containerStatuses"),
      initContainerStatuses = containers(items, "initContainerStatuses"),
    }
  end
  return obj
end
