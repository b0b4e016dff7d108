local status = require("lib.status")

function ReflectStatus(obj)
  return status.reflect(obj)
end
