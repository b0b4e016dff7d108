local group = require("lib.group")

-- One component, the group: it is what replicas counts and what can be divided.
function GetComponents(obj)
  return { { name = "group", replicas = group.count(obj), replicaRequirements = group.needs(obj) } }
end
