local machine = require("lib.machine")

function GetReplicas(obj)
  return machine.count(obj), machine.requirements(obj)
end
