-- A module whose functions the manifest names. shadowed.
local store = {}

function store.replicas(object)
  local mode = object.spec.mode
  if mode == "one" then
    local mode = 1
    --    ^ shadowed
    return mode, nil
  end
  for _, tostring in ipairs({ 1, 2 }) do
    if tostring(object.spec.replicas) == "1" then
    -- ^ shadowed
      return 1, nil
    end
  end
  return object.spec.replicas or 1, nil
end

-- Near misses: variables of two blocks, of a function in another one, and a name of Lua that is
-- used as what it is here.
function store.status(object)
  for i = 1, 2 do
    local found = i
    if found > 2 then
      return nil
    end
  end
  for i = 1, 2 do
    local found = i
    if found > 2 then
      return nil
    end
  end
  local type = object.kind
  local found = kube.get(object, "status." .. string.lower(type or "x"))
  local function inner(object)
    return object
  end
  return inner(found)
end

return store
