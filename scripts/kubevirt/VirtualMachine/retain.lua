local function find(list, name)
  for _, entry in ipairs(list or {}) do
    if entry.name == name then
      return entry
    end
  end
end

local function put(at, path, value)
  for i = 1, #path - 1 do
    at[path[i]] = at[path[i]] or {}
    at = at[path[i]]
  end
  at[path[#path]] = value
end

-- Puts a field of the member where the template has none.
local function keep(own, there, path)
  local value = kube.get(there, path)
  if value ~= nil and kube.get(own, path, "") == "" then
    put(own, path, value)
  end
end

-- The member assigns the hardware of a machine: other hardware would be another machine to
-- the guest.
local function hardware(own, there)
  keep(own, there, { "domain", "firmware", "uuid" })
  keep(own, there, { "domain", "firmware", "serial" })
  keep(own, there, { "domain", "machine", "type" })
  local interfaces = kube.get(there, "domain.devices.interfaces")
  for _, interface in ipairs(kube.get(own, "domain.devices.interfaces", {})) do
    keep(interface, find(interfaces, interface.name), { "macAddress" })
  end
end

-- Appends an entry of the member to a list, where it has none of that name.
local function add(own, there, path, name)
  local entry, list = find(kube.get(there, path), name), kube.get(own, path)
  if entry and not find(list, name) then
    put(own, path, kube.concat(list, { entry }))
  end
end

-- Volumes that were hot-plugged into the running machine are kept, with their disks.
local function plugged(own, there)
  for _, volume in ipairs(there.volumes or {}) do
    local source = volume.dataVolume or volume.persistentVolumeClaim or volume.memoryDump
    if source and source.hotpluggable then
      add(own, there, { "volumes" }, volume.name)
      add(own, there, { "domain", "devices", "disks" }, volume.name)
    end
  end
end

-- An instance type or preference is inferred from a volume in the member, and its
-- revision is the one with which the machine was created there.
local function matcher(own, there)
  if own.inferFromVolume and there.name then
    return there
  end
  if own.name == there.name and (own.kind or there.kind) == there.kind then
    keep(own, there, { "revisionName" })
  end
  return own
end

function Retain(desired, observed)
  local own, there = kube.get(desired, "spec.template.spec"), kube.get(observed, "spec.template.spec")
  if own and there then
    hardware(own, there)
    plugged(own, there)
  end
  for _, field in ipairs({ "instancetype", "preference" }) do
    local mine, theirs = kube.get(desired, { "spec", field }), kube.get(observed, { "spec", field })
    if mine and theirs then
      desired.spec[field] = matcher(mine, theirs)
    end
  end
  return desired
end
