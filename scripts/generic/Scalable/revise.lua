local scale = require("lib.scale")

function ReviseReplica(obj, number)
  return scale.to(obj, number)
end
