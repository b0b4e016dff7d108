-- What the clusters tell.

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

-- The phase of all clusters: the first of worst that one of them is in, else the phase
-- of them all, or nil where one has none.
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
  local merged = kube.mergeConditions(items)
  return #merged > 0 and merged or nil
end

-- The object with the status that make() gives, or with the one it has where no cluster
-- tells any.
function members.into(obj, items, make)
  for _, item in ipairs(items) do
    if item.status then
      obj.status = make()
      return obj
    end
  end
  return obj
end

return members
