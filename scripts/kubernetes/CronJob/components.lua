local pods = require("lib.pods")

function GetComponents(obj)
  return pods.components(obj)
end
