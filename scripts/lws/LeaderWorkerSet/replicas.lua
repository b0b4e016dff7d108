local group = require("lib.group")

function GetReplicas(obj)
  return group.count(obj), group.needs(obj)
end
