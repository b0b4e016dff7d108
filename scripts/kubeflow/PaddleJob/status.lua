local status = require("lib.status")

function ReflectStatus(obj)
  return status.job(obj)
end
