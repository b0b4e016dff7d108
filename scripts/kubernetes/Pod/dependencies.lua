local pods = require("lib.pods")

function GetDependencies(obj)
  return pods.dependencies(obj)
end
