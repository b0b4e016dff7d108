-- The addresses of all clusters in a fixed order, each once, with the ports of all.
local function key(address)
  return (address.hostname or "~") .. " " .. (address.ip or "") .. " " .. (address.ipMode or "")
end

local function hasPort(ports, port)
  for _, p in ipairs(ports) do
    if p.port == port.port and p.protocol == port.protocol then
      return true
    end
  end
  return false
end

local function addPorts(address, ports)
  for _, port in ipairs(ports or {}) do
    address.ports = address.ports or {}
    if not hasPort(address.ports, port) then
      table.insert(address.ports, port)
    end
  end
end

function AggregateStatus(obj, items)
  if kube.get(obj, "spec.type") ~= "LoadBalancer" then
    return obj
  end
  local ingress, known = {}, {}
  for _, item in ipairs(items) do
    for _, address in ipairs(kube.get(item, "status.loadBalancer.ingress", {})) do
      local k = key(address)
      if known[k] then
        addPorts(known[k], address.ports)
      else
        known[k] = address
        table.insert(ingress, address)
      end
    end
  end
  table.sort(ingress, function(a, b) return key(a) < key(b) end)
  local status = { loadBalancer = {} }
  if #ingress > 0 then
    status.loadBalancer.ingress = ingress
  end
  obj.status = status
  return obj
end
