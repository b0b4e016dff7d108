local status = require("lib.status")

function ReflectStatus(obj)
  return status.fields(obj, { "conditions", "jobsStatus", "trainerStatus" })
end
