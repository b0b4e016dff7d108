-- The addresses in status.loadBalancer of a Service and an Ingress (Kubernetes 1.36).

local addresses = {}

-- Reports whether there is an address.
function addresses.known(obj)
  for _, address in ipairs(kube.get(obj, "status.loadBalancer.ingress", {})) do
    if address.hostname or address.ip then
      return true
    end
  end
  return false
end

-- What has no address yet has not failed: a cluster may rightly have no controller for it.
function addresses.health(obj)
  if addresses.known(obj) then
    return true
  end
  return false, "Pending"
end

-- Names sort before addresses without one; equal addresses have the same key.
local function key(address)
  return (address.hostname or "~") .. " " .. (address.ip or "") .. " " .. (address.ipMode or "")
end

local function portKey(port)
  return string.format("%05d %s %s", port.port, port.protocol or "", port.error or "")
end

-- The items of lists, each once, sorted by their key.
local function united(list, other, keyOf)
  local all, known = kube.list(), {}
  for _, value in ipairs(kube.concat(list, other)) do
    if not known[keyOf(value)] then
      known[keyOf(value)] = true
      table.insert(all, value)
    end
  end
  table.sort(all, function(a, b) return keyOf(a) < keyOf(b) end)
  return all
end

-- The addresses of all clusters, each once, with the ports of all.
local function ofAll(items)
  local all, known = kube.list(), {}
  for _, item in ipairs(items) do
    for _, address in ipairs(kube.get(item, "status.loadBalancer.ingress", {})) do
      local same = known[key(address)]
      if not same then
        known[key(address)] = address
        table.insert(all, address)
      elseif address.ports then
        same.ports = united(same.ports, address.ports, portKey)
      end
    end
  end
  table.sort(all, function(a, b) return key(a) < key(b) end)
  return all
end

-- The object with the addresses of all clusters as its status. Without clusters there
-- are none; while none of the clusters reports, the status stays as it is.
function addresses.aggregate(obj, items)
  if #kube.reported(items) > 0 or not next(items) then
    obj.status = { loadBalancer = { ingress = kube.orNil(ofAll(items)) } }
  end
  return obj
end

return addresses
