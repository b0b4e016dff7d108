local pods = require("lib.pods")
local scale = require("lib.scale")

-- What a replica needs is known where the object has one pod template, and its quantities can be
-- read: in an object of an unknown kind they may be placeholders.
local function requirements(obj)
  local found = pods.of(obj)
  if #found ~= 1 then
    return nil
  end
  local read, needed = pcall(kube.accuratePodRequirements, found[1])
  if read then
    return needed
  end
  return nil
end

-- An object without the field has no replicas, and goes to its clusters as a whole.
function GetReplicas(obj)
  local number = scale.of(obj)
  if not number then
    return 0, nil
  end
  return number, requirements(obj)
end
