-- The reports of the member clusters.

local members = {}

-- The values of a field of status, without those that are missing or empty.
function members.values(items, field)
  local values = {}
  for _, item in ipairs(items) do
    local value = kube.get(item.status, field)
    if value ~= nil and value ~= "" then
      table.insert(values, value)
    end
  end
  return values
end

-- The phase of all clusters: the first of worst that one of them is in, else that of the
-- first cluster, or nil where one has none.
function members.phase(items, worst)
  local phases = members.values(items, "phase")
  for _, phase in ipairs(worst) do
    for _, each in ipairs(phases) do
      if each == phase then
        return phase
      end
    end
  end
  return #phases == #items and phases[1] or nil
end

-- The messages behind the names of their clusters.
function members.messages(items)
  local messages = {}
  for _, item in ipairs(items) do
    local message = kube.get(item, "status.message", "")
    if message ~= "" then
      table.insert(messages, item.clusterName .. "=" .. message)
    end
  end
  return #messages > 0 and table.concat(messages, ", ") or nil
end

-- The merged conditions, nil where there are none.
function members.conditions(items)
  return kube.orNil(kube.mergeConditions(items))
end

-- The object with the status that make() returns; unchanged while no cluster reports one.
function members.into(obj, items, make)
  if #kube.reported(items) > 0 then
    obj.status = make()
  end
  return obj
end

return members
