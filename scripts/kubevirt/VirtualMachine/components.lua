local machine = require("lib.machine")

function GetComponents(obj)
  return { { name = "vm", replicas = machine.count(obj), replicaRequirements = machine.requirements(obj) } }
end
