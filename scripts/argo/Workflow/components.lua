local pods = require("lib.pods")

function GetComponents(obj)
  return { pods.component(obj.spec or {}) }
end
