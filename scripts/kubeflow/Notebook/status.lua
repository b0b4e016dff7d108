local status = require("lib.status")

function ReflectStatus(obj)
  return status.fields(obj, { "conditions", "containerState", "readyReplicas" })
end
