local pods = require("lib.pods")
local scale = require("lib.scale")

-- The node selector, if it is one: the schema of an unknown kind may take anything there.
local function nodeClaim(needed)
  local selector = kube.get(needed, "nodeClaim.nodeSelector")
  if type(selector) ~= "table" then
    return nil
  end
  for key, value in pairs(selector) do
    if type(key) ~= "string" or type(value) ~= "string" then
      return nil
    end
  end
  return { nodeSelector = selector }
end

-- What a replica needs is known where the object has one pod template, and its quantities can be
-- read: in an object of an unknown kind they may be placeholders.
local function requirements(obj)
  local found = pods.of(obj)
  if #found ~= 1 then
    return nil
  end
  local read, needed = pcall(kube.accuratePodRequirements, found[1])
  if not read or not needed then
    return nil
  end
  needed.nodeClaim = nodeClaim(needed)
  return kube.orNil(needed)
end

-- An object without the field has no replicas, and goes to its clusters as a whole.
function GetReplicas(obj)
  local number = scale.of(obj)
  if not number then
    return 0, nil
  end
  return number, requirements(obj)
end
